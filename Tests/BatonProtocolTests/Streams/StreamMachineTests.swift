// SPDX-License-Identifier: Apache-2.0

@testable import BatonProtocol
import Testing

@Suite struct StreamMachineTests {
    private static let parameters = StreamMachine.ChannelParameters(window: 1_000, chunk: 100)
    private static let bytes = [UInt8](repeating: 5, count: 2_000)

    /// Returns an attached responder whose peer has a window of 400.
    private func responder(limits: StreamMachine.Limits = .init()) -> StreamMachine {
        var machine = StreamMachine(role: .responder, limits: limits)
        _ = machine.handle(.attach(attach(1, window: 400), Self.parameters), at: .zero)
        return machine
    }

    private func attach(_ generation: UInt32, next: UInt64 = 0, window: UInt32 = 1_000) -> Attach {
        Attach(token: StreamTwin.token, generation: generation, nextOffset: next, window: window)
    }

    private func data(_ offset: UInt64, _ count: Int) -> StreamMachine.Event {
        .received(.data(StreamData(offset: offset, bytes: Self.bytes[0..<count])), generation: 1)
    }

    private func limits(resume: Duration) -> StreamMachine.Limits {
        var limits = StreamMachine.Limits()
        limits.resume = resume
        return limits
    }

    @Test("An attachment takes one frame in each direction")
    func attachingTakesTwoFrames() {
        var initiator = StreamMachine(role: .initiator(token: StreamTwin.token))
        #expect(
            initiator.handle(.opened(generation: 1, Self.parameters), at: .zero)
                == [.send(.attach(attach(1)), generation: 1)])
        var responder = StreamMachine(role: .responder)
        let attached = Attached(nextOffset: 0, window: 1_000)
        #expect(
            responder.handle(.attach(attach(1), Self.parameters), at: .zero)
                == [.send(.attached(attached), generation: 1), .attached(generation: 1), .readLocal(maximum: 1_000)])
        #expect(
            initiator.handle(.received(.attached(attached), generation: 1), at: .zero)
                == [.attached(generation: 1), .readLocal(maximum: 1_000)])
    }

    @Test("The progress counts what the apps have got, and says whether the channel is gone or has stalled")
    func progress() {
        var machine = responder()
        #expect(machine.sentCount == 0 && machine.receivedCount == 0 && !machine.isWaiting)
        _ = machine.handle(.localBytes(Self.bytes[0..<300]), at: .zero)
        _ = machine.handle(data(0, 500), at: .zero)
        #expect(machine.sentCount == 0 && machine.receivedCount == 0)
        _ = machine.handle(.written(400), at: .zero)
        _ = machine.handle(.received(.ack(Ack(offset: 200, window: 400)), generation: 1), at: .zero)
        #expect(machine.sentCount == 200 && machine.receivedCount == 400)
        let waits = ChannelDelivery(isWaiting: true, silence: .seconds(2), patience: .seconds(1))
        _ = machine.handle(.delivery(waits, generation: 1), at: .seconds(2))
        #expect(machine.isWaiting)
        let moves = ChannelDelivery(isWaiting: true, silence: .zero, patience: .seconds(1))
        _ = machine.handle(.delivery(moves, generation: 1), at: .seconds(3))
        #expect(!machine.isWaiting)
        _ = machine.handle(.closed(generation: 1), at: .seconds(4))
        #expect(machine.isWaiting && machine.sentCount == 200)
        _ = machine.handle(.attach(attach(2, next: 200), Self.parameters), at: .seconds(5))
        #expect(!machine.isWaiting)
        _ = machine.handle(.stopped, at: .seconds(6))
        #expect(!machine.isWaiting)
    }

    @Test("The sender never exceeds the window")
    func senderKeepsToTheWindow() {
        var machine = responder()
        // The app gives more bytes than requested. The rest waits.
        let actions = machine.handle(.localBytes(Self.bytes[0..<450]), at: .zero)
        let offsets = actions.compactMap { action -> Range<Int>? in
            guard case .send(.data(let data), _) = action else { return nil }
            return Int(data.offset)..<Int(data.offset) + data.bytes.count
        }
        #expect(offsets == [0..<100, 100..<200, 200..<300, 300..<400])
        #expect(actions.last == .readLocal(maximum: 0))
        let more = machine.handle(.received(.ack(Ack(offset: 250, window: 400)), generation: 1), at: .zero)
        #expect(
            more == [
                .send(.data(StreamData(offset: 400, bytes: Self.bytes[400..<450])), generation: 1),
                .readLocal(maximum: 200),
            ])
    }

    @Test("Bytes are acknowledged a quarter of the window at a time, and only after they were written to the app")
    func acksCoverAQuarter() {
        var machine = responder()
        #expect(machine.handle(data(0, 600), at: .zero) == [.deliver(Self.bytes[0..<600])])
        #expect(machine.handle(.written(249), at: .zero) == [])
        #expect(
            machine.handle(.written(1), at: .zero) == [.send(.ack(Ack(offset: 250, window: 1_000)), generation: 1)])
        #expect(machine.handle(.written(100_000), at: .zero).count == 1)
    }

    @Test("Only the new ones among repeated bytes are delivered")
    func duplicatesAreTrimmed() {
        var machine = responder()
        _ = machine.handle(data(0, 100), at: .zero)
        #expect(machine.handle(data(0, 100), at: .zero) == [])
        guard case .deliver(let fresh) = machine.handle(data(50, 100), at: .zero).first else {
            Issue.record("nothing delivered")
            return
        }
        #expect(fresh.count == 50)
    }

    /// Expects delivered bytes. Compares them as a Boolean, so that a failure does not print
    /// thousands of bytes.
    private func expectReceived(_ twin: StreamTwin, _ side: Int, _ bytes: [UInt8]) {
        let intact = twin.apps[side].received == bytes
        #expect(intact)
    }

    static let violations: [(String, [Frame])] = [
        ("a gap", [.data(StreamData(offset: 1, bytes: [1]))]),
        ("more than the window", [.data(StreamData(offset: 0, bytes: bytes[0..<1_001]))]),
        ("an offset that overflows", [.data(StreamData(offset: .max, bytes: [1]))]),
        ("data after the end", [.end(End(offset: 0)), .data(StreamData(offset: 0, bytes: [1]))]),
        ("an end too far", [.end(End(offset: 1))]),
        ("an end too near", [.data(StreamData(offset: 0, bytes: [1])), .end(End(offset: 0))]),
        ("an ack of what was not sent", [.ack(Ack(offset: 1, window: 1))]),
        ("a window of more than 4 MiB", [.ack(Ack(offset: 0, window: 4_194_305))]),
        ("an end ack of no end", [.endAck]),
        ("attached", [.attached(Attached(nextOffset: 0, window: 0))]),
        ("attach", [.attach(Attach(token: StreamTwin.token, generation: 1, nextOffset: 0, window: 1))]),
        ("a control message", [.goodbye(Goodbye(reason: .idle))]),
    ]

    @Test("A violation resets the streams, and no bytes are delivered after it", arguments: violations)
    func brokenRuleResets(name: String, frames: [Frame]) {
        var machine = responder()
        for frame in frames.dropLast() { _ = machine.handle(.received(frame, generation: 1), at: .zero) }
        let actions = machine.handle(.received(frames[frames.count - 1], generation: 1), at: .zero)
        #expect(actions.first == .send(.reset(Reset(reason: .protocolViolation)), generation: 1))
        #expect(actions.contains { if case .failed(.protocolViolation) = $0 { true } else { false } })
        #expect(!actions.contains { if case .deliver = $0 { true } else { false } })
        #expect(machine.handle(data(0, 10), at: .zero) == [])
        // The peer has 5 s to read the reset and close.
        #expect(machine.deadline == .seconds(5))
        #expect(machine.handle(.time, at: .seconds(5)) == [.closeChannel(generation: 1)])
        #expect(machine.isDone)
    }

    @Test("The number of unacknowledged bytes is limited, and an attachment acknowledges bytes")
    func noMoreThanTheLimitIsKept() {
        var limits = StreamMachine.Limits()
        limits.unacknowledged = 400
        var machine = StreamMachine(role: .responder, limits: limits)
        let actions = machine.handle(
            .attach(attach(1, window: StreamMachine.maximumWindow), Self.parameters), at: .zero)
        #expect(actions.last == .readLocal(maximum: 400))
        _ = machine.handle(.localBytes(Self.bytes[0..<400]), at: .zero)
        // The acknowledgements were lost with the channel, and are not repeated.
        #expect(
            machine.handle(.attach(attach(2, next: 400, window: 1_000), Self.parameters), at: .zero).last
                == .readLocal(maximum: 400))
    }

    @Test("An attachment whose offset is beyond the sent bytes resets the streams")
    func attachmentOutsideResets() {
        var machine = responder()
        let actions = machine.handle(.attach(attach(2, next: 1), Self.parameters), at: .zero)
        #expect(actions.contains(.abandonChannel(generation: 1)))
        #expect(actions.contains(.send(.reset(Reset(reason: .protocolViolation)), generation: 2)))
    }

    @Test("An attachment can only be answered by Attached or Reset")
    func answersToAnAttachment() {
        for frame in [Frame.data(StreamData(offset: 0, bytes: [1])), .ack(Ack(offset: 0, window: 9)), .endAck] {
            var machine = StreamMachine(role: .initiator(token: StreamTwin.token))
            _ = machine.handle(.opened(generation: 1, Self.parameters), at: .zero)
            let actions = machine.handle(.received(frame, generation: 1), at: .zero)
            #expect(actions.first == .send(.reset(Reset(reason: .protocolViolation)), generation: 1))
        }
    }

    @Test("An acknowledgement of fewer bytes than before has no effect, and neither has a second EndAck")
    func lowerAcksHaveNoEffect() {
        var machine = responder()
        _ = machine.handle(.localBytes(Self.bytes[0..<100]), at: .zero)
        _ = machine.handle(.received(.ack(Ack(offset: 100, window: 400)), generation: 1), at: .zero)
        #expect(machine.handle(.received(.ack(Ack(offset: 50, window: 1)), generation: 1), at: .zero) == [])
        #expect(machine.handle(.localEnd, at: .zero).first == .send(.end(End(offset: 100)), generation: 1))
        for _ in 0..<2 { #expect(machine.handle(.received(.endAck, generation: 1), at: .zero) == []) }
    }

    @Test("The responder sends its EndAck only after the initiator's")
    func respondersEndAckWaits() {
        var machine = responder()
        #expect(machine.handle(.received(.end(End(offset: 0)), generation: 1), at: .zero) == [.finishLocal])
        #expect(machine.handle(.localRead, at: .zero) == [])
        _ = machine.handle(.localEnd, at: .zero)
        #expect(
            machine.handle(.received(.endAck, generation: 1), at: .zero)
                == [.send(.endAck, generation: 1), .finished])
    }

    @Test("The EndAck is sent only after the app has read everything")
    func endAckWaitsForTheApp() {
        var machine = responder()
        _ = machine.handle(.localEnd, at: .zero)
        _ = machine.handle(.received(.endAck, generation: 1), at: .zero)
        _ = machine.handle(.received(.data(StreamData(offset: 0, bytes: [1])), generation: 1), at: .zero)
        // A report that comes too early is ignored.
        #expect(machine.handle(.localRead, at: .zero) == [])
        #expect(machine.handle(.received(.end(End(offset: 1)), generation: 1), at: .zero) == [])
        #expect(machine.handle(.written(1), at: .zero) == [.finishLocal])
        #expect(machine.handle(.localRead, at: .zero) == [.send(.endAck, generation: 1), .finished])
    }

    @Test("An acknowledgement may overtake an attachment")
    func ackOvertakesAnAttachment() {
        var machine = responder()
        _ = machine.handle(.localBytes(Self.bytes[0..<300]), at: .zero)
        _ = machine.handle(.received(.ack(Ack(offset: 200, window: 400)), generation: 1), at: .zero)
        let actions = machine.handle(.attach(attach(2, next: 100), Self.parameters), at: .zero)
        let data = StreamData(offset: 200, bytes: Self.bytes[200..<300])
        #expect(actions.contains(.send(.data(data), generation: 2)))
    }

    @Test("Older and equal generations are ignored")
    func olderGenerations() {
        var machine = responder()
        _ = machine.handle(.attach(attach(3), Self.parameters), at: .zero)
        for generation: UInt32 in [1, 2, 3, .max] { #expect(!machine.accepts(attach(generation))) }
        #expect(machine.accepts(attach(4)))
        #expect(machine.handle(data(0, 10), at: .zero) == [])
        #expect(machine.handle(.closed(generation: 1), at: .zero) == [])
        #expect(machine.active?.generation == 3)
    }

    @Test(
        "Failed streams keep none of the sent bytes",
        arguments: [StreamMachine.Event.localFailed, .notTaken, .stopped, .closed(generation: 1)])
    func failedStreamsKeepNothing(_ event: StreamMachine.Event) {
        var machine = responder(limits: limits(resume: .zero))
        _ = machine.handle(.localBytes(Self.bytes[...]), at: .zero)
        #expect(machine.outgoing.end == UInt64(Self.bytes.count))
        _ = machine.handle(event, at: .zero)
        #expect(machine.outgoing.end == 0 && machine.outgoing.acknowledged == 0)
    }

    @Test(
        "Streams that fail here, are not taken, or whose device stops are reset with the reason for that",
        arguments: [
            (.localFailed, .localFailed, .applicationFailed), (.notTaken, .notTaken, .notTaken),
            (.stopped, .stopped, .stopped),
        ] as [(StreamMachine.Event, StreamMachine.Failure, Reset.Reason)])
    func resetWithReason(_ event: StreamMachine.Event, _ failure: StreamMachine.Failure, _ reason: Reset.Reason) {
        var twin = StreamTwin([1], [2])
        twin.dial()
        twin.deliver(1, to: 1)
        twin.handle(1, event)
        twin.run()
        #expect(twin.apps[1].failure == failure)
        #expect(twin.apps[0].failure == .reset(reason))
        #expect(twin.isDone)
    }

    @Test("One direction can end long before the other")
    func oneSideEndsBeforeTheOther() {
        var twin = StreamTwin(Self.bytes, [])
        twin.apps[1].ended = true  // This app never ends its stream by itself.
        twin.dial()
        twin.run()
        expectReceived(twin, 1, Self.bytes)
        #expect(twin.apps[1].gotEnd)
        #expect(!twin.apps[0].gotEnd)
        twin.apps[1].toSend = [1, 2, 3]
        twin.run()
        #expect(twin.apps[0].received == [1, 2, 3])
        twin.handle(1, .localEnd)
        twin.run()
        #expect(twin.isFinished)
    }

    @Test("Only the initiator closes the channel after both ends are acknowledged")
    func initiatorCloses() {
        var twin = StreamTwin([1, 2], [3])
        twin.dial()
        while !twin.apps[1].finished {
            for side in 0...1 {
                twin.deliver(1, to: side)
                twin.send(side, atMost: 10)
                twin.take(side, atMost: 10)
            }
        }
        // The responder's EndAck is the last frame. The initiator closes.
        #expect(twin.sentFrames.last == .endAck)
        #expect(twin.channels[1]?.closedBy == [])
        twin.deliver(1, to: 0)
        #expect(twin.apps[0].finished)
        #expect(twin.channels[1]?.closedBy == [0])
    }

    /// Returns a twin whose responder has finished. The EndAck is on its way to the initiator.
    private func finishedResponder() -> StreamTwin {
        var twin = StreamTwin([], [])
        twin.dial()
        while !twin.apps[1].finished {
            for side in 0...1 {
                twin.deliver(1, to: side)
                twin.send(side, atMost: 1)
            }
        }
        return twin
    }

    @Test("If the initiator does not close, the responder closes after 5 seconds, and is done a minute later")
    func responderClosesItself() {
        var responder = finishedResponder().machines[1]
        #expect(responder.deadline == .seconds(5))
        #expect(responder.handle(.time, at: .seconds(5)) == [.closeChannel(generation: 1)])
        #expect(responder.deadline == .seconds(65) && responder.accepts(attach(2)))
        #expect(responder.handle(.closed(generation: 1), at: .seconds(6)) == [])
        #expect(responder.handle(.time, at: .seconds(65)) == [])
        #expect(responder.isDone && !responder.accepts(attach(2)))
    }

    @Test("If the EndAck is lost because the responder closes the channel, it is sent again on another channel")
    func lostEndAck() {
        var twin = finishedResponder()
        twin.pass(.seconds(5))
        twin.cut(1, keeping: [0, 0])
        for side in 0...1 { twin.tellClosed(1, side) }
        #expect(!twin.apps[0].finished)
        twin.pass(.seconds(50))
        twin.dial()
        twin.run()
        #expect(twin.isFinished && twin.apps[0].failure == nil)
        #expect(twin.machines[0].isDone)
    }

    @Test("A finished responder closes each further channel after 5 seconds, too")
    func furtherChannelsClose() {
        var responder = finishedResponder().machines[1]
        _ = responder.handle(.closed(generation: 1), at: .seconds(1))
        _ = responder.handle(.attach(attach(2), Self.parameters), at: .seconds(60))
        #expect(responder.deadline == .seconds(65))
        #expect(responder.handle(.time, at: .seconds(65)) == [.closeChannel(generation: 2)])
    }

    @Test("A channel that ends before the streams counts as a break, and after a minute as a failure")
    func earlyEndOfFileIsABreak() {
        var machine = responder()
        let actions = machine.handle(.closed(generation: 1), at: .seconds(10))
        #expect(actions == [.broken(until: .seconds(70)), .readLocal(maximum: 0)])
        #expect(machine.handle(.time, at: .seconds(69)) == [])
        #expect(machine.handle(.time, at: .seconds(70)) == [.failed(.broken)])
        #expect(machine.isDone)
    }

    @Test("If streams cannot be resumed, a broken channel counts as a failure")
    func breakWithoutResumption() {
        var machine = responder(limits: limits(resume: .zero))
        #expect(machine.handle(.closed(generation: 1), at: .zero) == [.failed(.broken), .readLocal(maximum: 0)])
        #expect(machine.isDone)
    }

    @Test("An attachment that is not answered is abandoned after ten seconds")
    func unansweredAttachment() {
        var machine = StreamMachine(role: .initiator(token: StreamTwin.token), limits: limits(resume: .zero))
        _ = machine.handle(.opened(generation: 1, Self.parameters), at: .zero)
        #expect(machine.deadline == .seconds(10))
        #expect(machine.handle(.time, at: .seconds(10)) == [.closeChannel(generation: 1), .failed(.attachTimedOut)])
    }

    @Test("If the peer rejects the token, the streams fail with the reason `unknownToken`")
    func refusedTokenIsAFailure() {
        var machine = StreamMachine(role: .initiator(token: StreamTwin.token))
        _ = machine.handle(.opened(generation: 1, Self.parameters), at: .zero)
        let reset = Frame.reset(Reset(reason: .unknownToken))
        #expect(
            machine.handle(.received(reset, generation: 1), at: .zero)
                == [.closeChannel(generation: 1), .failed(.reset(.unknownToken))])
    }

    @Test("A failed move leaves the streams on their channel")
    func failedMoveChangesNothing() {
        var twin = StreamTwin(Self.bytes, Self.bytes)
        twin.dial()
        twin.deliver(1, to: 1)
        twin.deliver(1, to: 0)
        twin.handle(0, .opened(generation: 2, Self.parameters))
        twin.handle(0, .closed(generation: 2))
        twin.run()
        expectReceived(twin, 0, Self.bytes)
        #expect(twin.isFinished)
    }

    @Test("All bytes of many small writes arrive, even if the channel breaks")
    func manySmallWritesArriveWhole() {
        var twin = StreamTwin([], [])
        twin.apps[0].ended = true
        twin.parameters = .init(window: 65_536, chunk: 16_384)
        twin.dial()
        twin.deliver(1, to: 1)
        twin.deliver(1, to: 0)
        let bytes = (0..<50_000).map { UInt8(truncatingIfNeeded: $0) }
        for byte in bytes { twin.handle(0, .localBytes([byte])) }
        twin.cut(1, keeping: [0, 100])
        twin.tellClosed(1, 0)
        twin.run()
        twin.dial()
        twin.handle(0, .localEnd)
        twin.run()
        expectReceived(twin, 1, bytes)
    }
}
