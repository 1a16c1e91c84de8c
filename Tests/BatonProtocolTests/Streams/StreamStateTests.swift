// SPDX-License-Identifier: Apache-2.0

import Diagnosis
import Testing

@testable import BatonProtocol

/// Tests every kind of frame in every state of a pair of streams.
///
/// The frames arrive on the channel in use and on the one before it (Streams.md, "States").
@Suite struct StreamStateTests {
    typealias Action = StreamMachine.Action

    enum State: String, CaseIterable {
        case attaching, runningInitiator, runningResponder, peerEnded, ownEnded, bothEnded, moving, broken, lingering
        case resetting, over
    }

    static let parameters = StreamMachine.ChannelParameters(window: 1_000, chunk: 100)
    static let token = [UInt8](repeating: 7, count: 16)

    static func attach(_ generation: UInt32) -> Attach {
        Attach(token: token, generation: generation, nextOffset: 0, window: 1_000)
    }

    /// Returns a machine that uses its second channel. The first channel is closed or will be
    /// closed.
    static func machine(in state: State) -> StreamMachine {
        let isInitiator = [.attaching, .runningInitiator, .moving, .over].contains(state)
        var machine = StreamMachine(role: isInitiator ? .initiator(token: token) : .responder)
        func handle(_ events: StreamMachine.Event...) { for event in events { _ = machine.handle(event, at: .zero) } }
        func received(_ frame: Frame) -> StreamMachine.Event { .received(frame, generation: 2) }
        let end = Frame.end(End(offset: 0))
        if isInitiator {
            if state == .attaching {
                handle(.opened(generation: 2, parameters))
                return machine
            }
            let attached = Frame.attached(Attached(nextOffset: 0, window: 1_000))
            handle(.opened(generation: 1, parameters), .received(attached, generation: 1))
            handle(.opened(generation: 2, parameters))
            if state == .moving { return machine }
            handle(received(attached))
        } else {
            handle(.attach(attach(1), parameters), .attach(attach(2), parameters))
        }
        switch state {
        case .attaching, .moving, .runningInitiator, .runningResponder: break
        case .peerEnded: handle(received(end), .localRead)
        case .ownEnded: handle(.localEnd)
        case .bothEnded: handle(received(end), .localRead, .localEnd)
        case .broken: handle(.closed(generation: 2))
        case .lingering: handle(received(end), .localRead, .localEnd, received(.endAck))
        case .resetting: handle(.localFailed)
        case .over: handle(received(.reset(Reset(reason: .timedOut))))
        }
        return machine
    }

    static let frames: [Frame] = {
        let error = HandoffError(.noSuchActivity, .activityEnded)
        return [
            .data(StreamData(offset: 0, bytes: [1])), .ack(Ack(offset: 0, window: 0)), .end(End(offset: 0)), .endAck,
            .reset(Reset(reason: .timedOut)), .attached(Attached(nextOffset: 0, window: 0)), .attach(attach(3)),
            .hello(Hello(name: "x", unixTime: 0, sequence: 1)),
            .continueRequest(ContinueRequest(id: 1, activity: [1, 2, 3, 4, 5])),
            .continueReply(ContinueReply(id: 1, result: .failure(error))),
            .continued(Continued(id: 1, accepted: true)), .streamRequest(StreamRequest(id: 1, instance: token)),
            .streamReply(StreamReply(id: 1, result: .failure(error))), .goodbye(Goodbye(reason: .idle)), .join([1]),
            .welcome([]), .joined([]), .reattach(Reattach(token: token, generation: 2)),
        ]
    }()

    /// Returns the allowed frames on a channel that carries the streams.
    static func carried(_ generation: UInt32) -> [String: [Action]] {
        [
            "data": [.deliver([1])], "ack": [], "end": [.finishLocal],
            "reset": [.closeChannel(generation: generation), .failed(.reset(.timedOut))],
        ]
    }

    /// Returns the allowed frames on the channel in use with their results, or nil if no frame
    /// matters any more.
    ///
    /// All other frames are violations.
    static func allowed(in state: State) -> [String: [Action]]? {
        func carrying(_ changes: [String: [Action]?]) -> [String: [Action]] {
            var all: [String: [Action]?] = carried(2).mapValues { $0 }
            all.merge(changes) { _, new in new }
            return all.compactMapValues(\.self)
        }
        return switch state {
        case .attaching:
            [
                "attached": [.attached(generation: 2)],
                "reset": [.closeChannel(generation: 2), .failed(.reset(.timedOut))],
            ]
        case .runningInitiator, .runningResponder: carrying([:])
        case .peerEnded: carrying(["data": nil, "end": []])
        case .ownEnded: carrying(["endAck": []])
        case .bothEnded:
            carrying(["data": nil, "end": [], "endAck": [.send(.endAck, generation: 2), .finished]])
        case .moving:
            [
                "attached": [.abandonChannel(generation: 1), .attached(generation: 2)],
                "reset": [.closeChannel(generation: 2)],
            ]
        case .lingering: ["ack": [], "end": [.send(.endAck, generation: 2)], "endAck": [], "reset": []]
        case .broken, .resetting, .over: nil
        }
    }

    /// Handles a frame, and ignores changes of the app's capacity.
    static func handle(_ machine: inout StreamMachine, _ frame: Frame, on generation: UInt32) -> [Action] {
        machine.handle(.received(frame, generation: generation), at: .zero).filter {
            if case .readLocal = $0 { false } else { true }
        }
    }

    static func isViolation(_ action: Action) -> Bool {
        if case .failed(.protocolViolation) = action { true } else { false }
    }

    /// Expects that the peer and the app learn of a reset, and that no bytes are delivered
    /// afterwards.
    private func expectReset(_ machine: inout StreamMachine, _ actions: [Action], _ name: Comment) {
        let told = actions.contains {
            if case .send(.reset(let reset), _) = $0 { reset.reason == .protocolViolation } else { false }
        }
        #expect(told && actions.contains(where: Self.isViolation), name)
        for action in actions {
            switch action {
            case .send(.reset, _), .closeChannel, .failed: break
            default: Issue.record("\(name): \(action)")
            }
        }
        for generation: UInt32 in 1...2 {
            for frame in Self.frames { #expect(Self.handle(&machine, frame, on: generation) == [], name) }
        }
    }

    @Test(
        "Every frame in every state of the streams has its allowed result, or ends them", arguments: State.allCases)
    func everyFrameInEveryState(state: State) {
        let allowed = Self.allowed(in: state)
        for frame in Self.frames {
            var machine = Self.machine(in: state)
            let actions = Self.handle(&machine, frame, on: 2)
            let name: Comment = "\(frame.kind)"
            guard let allowed else {
                #expect(actions == [], name)
                continue
            }
            if let expected = allowed[frame.kind] {
                #expect(actions == expected, name)
            } else if state == .lingering {
                // The machine has finished, so it reports nothing.
                #expect(actions == [.closeChannel(generation: 2)], name)
                #expect(machine.isDone)
            } else {
                expectReset(&machine, actions, name)
            }
        }
    }

    @Test(
        "Every frame on the old channel is ignored, unless that channel still carries the streams",
        arguments: State.allCases) func everyFrameOnTheChannelBefore(state: State)
    {
        for frame in Self.frames {
            var machine = Self.machine(in: state)
            let before = (machine.deadline, machine.active?.generation, machine.isDone)
            let actions = Self.handle(&machine, frame, on: 1)
            let name: Comment = "\(frame.kind)"
            guard state == .moving else {
                #expect(actions == [], name)
                #expect((machine.deadline, machine.active?.generation, machine.isDone) == before, name)
                continue
            }
            // The old channel still carries the streams.
            var expected = Self.carried(1)
            expected["reset"] = [
                .closeChannel(generation: 1), .closeChannel(generation: 2), .failed(.reset(.timedOut)),
            ]
            if let expected = expected[frame.kind] {
                #expect(actions == expected, name)
            } else {
                expectReset(&machine, actions, name)
            }
        }
    }
}
