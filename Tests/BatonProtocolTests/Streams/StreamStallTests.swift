// SPDX-License-Identifier: Apache-2.0

import Testing
import TransportModel

@testable import BatonProtocol

/// Tests channels that stall although nothing has closed them (Streams.md, "Stalls").
@Suite struct StreamStallTests {
    typealias Action = StreamMachine.Action

    private static let parameters = StreamMachine.ChannelParameters(window: 1_000, chunk: 100)
    private static let token = [UInt8](repeating: 7, count: 16)

    /// Returns an attached machine that has sent some bytes at time zero.
    private static func sender(_ role: StreamMachine.Role = .initiator(token: token)) -> StreamMachine {
        var machine = attached(role)
        _ = machine.handle(.localBytes([1, 2, 3]), at: .zero)
        return machine
    }

    private static func attached(_ role: StreamMachine.Role = .initiator(token: token)) -> StreamMachine {
        var machine = StreamMachine(role: role)
        if role == .responder {
            let attach = Attach(token: token, generation: 1, nextOffset: 0, window: 1_000)
            _ = machine.handle(.attach(attach, parameters), at: .zero)
        } else {
            _ = machine.handle(.opened(generation: 1, parameters), at: .zero)
            _ = machine.handle(.received(.attached(Attached(nextOffset: 0, window: 1_000)), generation: 1), at: .zero)
        }
        _ = machine.handle(nothingWaits, at: .zero)
        return machine
    }

    private static func waiting(for silence: Duration) -> StreamMachine.Event {
        .delivery(ChannelDelivery(isWaiting: true, silence: silence, patience: .seconds(1)), generation: 1)
    }

    private static let nothingWaits = StreamMachine.Event.delivery(
        ChannelDelivery(isWaiting: false, silence: .seconds(100), patience: .seconds(1)), generation: 1)

    /// Lets a machine check the channel every 250 ms while the channel acknowledges nothing.
    /// Returns the time at which the machine reports the stall.
    private static func timeOfStall(
        of machine: inout StreamMachine, silence: (Duration) -> Duration = { $0 }
    ) -> Duration? {
        while let due = machine.deadline, due < .seconds(5) {
            for action in machine.handle(.time, at: due) where action == .look(generation: 1) {
                if machine.handle(waiting(for: silence(due)), at: due).contains(.stalled(generation: 1)) { return due }
            }
        }
        return nil
    }

    @Test("A channel that acknowledges nothing for a second is reported as stalled, once", arguments: [true, false])
    func stallsAfterASecond(isInitiator: Bool) {
        var machine = Self.sender(isInitiator ? .initiator(token: Self.token) : .responder)
        #expect(machine.deadline == .milliseconds(250))
        #expect(Self.timeOfStall(of: &machine) == .seconds(1))
        #expect(Self.timeOfStall(of: &machine) == nil)
    }

    @Test("The transport says how long a channel may be silent")
    func patienceOfTheTransport() {
        var machine = Self.sender()
        let slow = ChannelDelivery(isWaiting: true, silence: .milliseconds(1_500), patience: .seconds(2))
        #expect(machine.handle(.delivery(slow, generation: 1), at: .milliseconds(1_500)) == [])
    }

    @Test("An app that reads nothing does not count as a stall, and the channel is not checked again")
    func slowApp() {
        var machine = Self.sender()
        #expect(machine.handle(.time, at: .milliseconds(250)) == [.look(generation: 1)])
        #expect(machine.handle(Self.nothingWaits, at: .milliseconds(250)) == [])
        #expect(machine.deadline == nil)
    }

    @Test("If the transport cannot tell whether bytes wait, the channel is not checked again")
    func unknownDelivery() {
        var machine = Self.sender()
        #expect(machine.handle(.delivery(nil, generation: 1), at: .milliseconds(100)) == [])
        #expect(machine.deadline == nil)
    }

    @Test("The time in which this daemon did not run does not count as silence")
    func stoppedDaemon() {
        var machine = Self.sender()
        #expect(machine.handle(.time, at: .milliseconds(1_250)) == [.look(generation: 1)])
        #expect(machine.handle(Self.waiting(for: .seconds(1)), at: .milliseconds(1_250)) == [])
        #expect(Self.timeOfStall(of: &machine) == .milliseconds(2_250))
        // A look that is less late finds the stall.
        machine = Self.sender()
        #expect(machine.handle(.time, at: .milliseconds(1_249)) == [.look(generation: 1)])
        #expect(
            machine.handle(Self.waiting(for: .seconds(1)), at: .milliseconds(1_249)) == [.stalled(generation: 1)])
    }

    @Test("The silence before bytes were sent does not count")
    func silenceBeforeBytes() {
        var machine = Self.sender()
        #expect(Self.timeOfStall(of: &machine, silence: { $0 + .seconds(100) }) == .seconds(1))
    }

    @Test("A stall ends when acknowledgements come again, or when nothing waits any more")
    func recovers() {
        for event in [Self.waiting(for: .milliseconds(10)), Self.nothingWaits] {
            var machine = Self.sender()
            _ = Self.timeOfStall(of: &machine)
            #expect(machine.handle(event, at: .milliseconds(1_100)) == [.recovered(generation: 1)])
            #expect(machine.watch.stall == nil)
        }
    }

    @Test("The loss of this device's address counts as a stall at once, but only on the present channel")
    func lostPath() {
        var machine = Self.attached()
        #expect(machine.handle(.pathLost(generation: 2), at: .zero) == [])
        #expect(machine.handle(.pathLost(generation: 1), at: .zero) == [.stalled(generation: 1)])
        #expect(machine.handle(.pathLost(generation: 1), at: .zero) == [])
        // A frame that may have been on its way before the loss does not end the stall.
        let end = StreamMachine.Event.received(.end(End(offset: 0)), generation: 1)
        #expect(!machine.handle(end, at: .milliseconds(250)).contains(.recovered(generation: 1)))
        #expect(machine.handle(end, at: .milliseconds(251)).contains(.recovered(generation: 1)))
    }

    @Test("An acknowledgement that is newer than the loss of an address ends the stall")
    func lostPathAcknowledges() {
        var machine = Self.sender()
        _ = machine.handle(.pathLost(generation: 1), at: .zero)
        #expect(machine.handle(Self.waiting(for: .milliseconds(100)), at: .milliseconds(350)) == [])
        #expect(
            machine.handle(Self.waiting(for: .milliseconds(100)), at: .milliseconds(351))
                == [.recovered(generation: 1)])
    }

    @Test("While the peer's buffer is full, no sign shows that a lost address is back")
    func lostPathWhileFull() {
        var machine = Self.sender()
        _ = machine.handle(.pathLost(generation: 1), at: .zero)
        let full = ChannelDelivery(isWaiting: true, silence: .seconds(1), patience: .seconds(120))
        #expect(machine.handle(.delivery(full, generation: 1), at: .seconds(1)) == [])
    }

    // MARK: - The initiator's other channel

    @Test("A channel that was dialled because of a stall is attached only if the stall still lasts")
    func alternative() {
        var machine = Self.sender()
        let refused = StreamMachine.Event.alternative(generation: 2, Self.parameters)
        #expect(machine.handle(refused, at: .zero) == [.closeChannel(generation: 2)])
        // The refused channel may close late.
        #expect(machine.nextGeneration == 3)
        _ = Self.timeOfStall(of: &machine)
        let actions = machine.handle(.alternative(generation: 3, Self.parameters), at: .seconds(1))
        guard case .send(.attach(let attach), generation: 3) = actions.first else {
            Issue.record("\(actions)")
            return
        }
        #expect(attach.generation == 3)
        let attached = Frame.attached(Attached(nextOffset: 0, window: 1_000))
        let after = machine.handle(.received(attached, generation: 3), at: .seconds(1))
        #expect(after.starts(with: [.abandonChannel(generation: 1), .attached(generation: 3)]))
        // The watch begins again on the new channel.
        #expect(machine.watch.stall == nil && machine.deadline == .milliseconds(1_250))
    }

    @Test("If the dialled channel is lost while the stall lasts, another one is requested")
    func lostAlternative() {
        let reset = Frame.reset(Reset(reason: .staleGeneration))
        let stalled = Action.stalled(generation: 1, lost: 2)
        let endings: [(StreamMachine.Event, at: Duration, [Action])] = [
            (.received(reset, generation: 2), .seconds(1), [stalled, .closeChannel(generation: 2)]),
            (.time, .seconds(11), [stalled, .closeChannel(generation: 2)]),
            (.closed(generation: 2), .seconds(1), [stalled]),
        ]
        for (event, time, actions) in endings {
            var machine = Self.sender()
            _ = Self.timeOfStall(of: &machine)
            _ = machine.handle(.alternative(generation: 2, Self.parameters), at: .seconds(1))
            #expect(machine.handle(event, at: time) == actions, "\(event)")
        }
    }

    @Test("If the other channel is lost and the present one works again, no other one is wanted")
    func lostWithoutNeed() {
        var machine = Self.sender()
        _ = Self.timeOfStall(of: &machine)
        _ = machine.handle(.alternative(generation: 2, Self.parameters), at: .seconds(1))
        _ = machine.handle(Self.nothingWaits, at: .seconds(1))
        #expect(machine.handle(.closed(generation: 2), at: .seconds(1)) == [])
    }

    @Test("If the stalled channel has broken meanwhile, the dialled channel resumes the streams")
    func alternativeAfterABreak() {
        var machine = Self.sender()
        _ = Self.timeOfStall(of: &machine)
        _ = machine.handle(.closed(generation: 1), at: .seconds(1))
        let actions = machine.handle(.alternative(generation: 2, Self.parameters), at: .seconds(1))
        #expect(actions.contains { if case .send(.attach, 2) = $0 { true } else { false } })
    }

    @Test("An initiator whose stream pauses sends its last acknowledgement again, once, to detect a stall")
    func quietStream() {
        for role in [StreamMachine.Role.initiator(token: Self.token), .responder] {
            var machine = Self.attached(role)
            let data = Frame.data(StreamData(offset: 0, bytes: [1]))
            for _ in 0..<2 { _ = machine.handle(.received(data, generation: 1), at: .zero) }
            let again = Action.send(.ack(Ack(offset: 0, window: 1_000)), generation: 1)
            #expect(machine.handle(.time, at: .milliseconds(249)) == [])
            #expect(machine.handle(.time, at: .milliseconds(250)) == (role == .responder ? [] : [again]))
            #expect(machine.handle(.time, at: .milliseconds(600)) == (role == .responder ? [] : [.look(generation: 1)]))
            #expect(machine.handle(Self.nothingWaits, at: .milliseconds(600)) == [])
            #expect(machine.deadline == nil)
        }
    }

    @Test("An initiator whose stream does not pause does not repeat acknowledgements")
    func steadyStream() {
        var machine = Self.attached()
        let first = Frame.data(StreamData(offset: 0, bytes: [1]))
        let second = Frame.data(StreamData(offset: 1, bytes: [1]))
        _ = machine.handle(.received(first, generation: 1), at: .zero)
        _ = machine.handle(.received(second, generation: 1), at: .milliseconds(200))
        #expect(machine.handle(.time, at: .milliseconds(250)) == [])
        #expect(machine.deadline == .milliseconds(450))
    }

    // MARK: - Reattach

    @Test("A Reattach for a generation other than the present one has no effect")
    func reattachOfAnotherGeneration() {
        var machine = Self.attached()
        for generation: UInt32 in [0, 2, .max] {
            #expect(machine.handle(.asked(generation: generation), at: .zero) == [])
        }
        #expect(machine.handle(.asked(generation: 1), at: .zero) == [.stalled(generation: 1)])
    }

    @Test("A responder ignores a Reattach")
    func reattachOfAResponder() {
        var machine = Self.attached(.responder)
        #expect(machine.handle(.asked(generation: 1), at: .zero) == [])
    }

    @Test("A Reattach is ignored while another channel is being attached")
    func reattachWhileAttaching() {
        var machine = Self.attached()
        _ = machine.handle(.opened(generation: 2, Self.parameters), at: .zero)
        #expect(machine.handle(.asked(generation: 1), at: .zero) == [])
    }

    @Test("For each pair, four Reattach take effect at once, and then one in 5 s")
    func tooManyReattaches() {
        var machine = Self.attached()
        /// Sends a Reattach, and ends the stall. Returns whether the Reattach was obeyed.
        func isHeeded(at now: Duration) -> Bool {
            let isHeeded = machine.handle(.asked(generation: 1), at: now) == [.stalled(generation: 1)]
            _ = machine.handle(
                .received(.ack(Ack(offset: 0, window: 1)), generation: 1), at: now + .milliseconds(300))
            return isHeeded
        }
        for number in 0..<4 { #expect(isHeeded(at: .milliseconds(number * 400))) }
        #expect(!isHeeded(at: .milliseconds(4_900)))
        #expect(isHeeded(at: .milliseconds(5_400)))
        #expect(!isHeeded(at: .milliseconds(5_800)))
    }

    @Test("A peer that keeps asking for channels gets only one for each stall that it reports")
    func reattachWithoutEnd() {
        var machine = Self.attached()
        let stalls = (0..<100_000).count { _ in machine.handle(.asked(generation: 1), at: .zero) != [] }
        #expect(stalls == 1)
    }
}
