// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonProtocol
import Diagnosis
import Testing

/// Tests every kind of message in every state of a session (Session.md, "States").
@Suite struct SessionStateTests {
    static let hello = Hello(name: "peer", unixTime: 0, sequence: 1)
    static let instance = [UInt8](repeating: 7, count: 16)
    static let hash: [UInt8] = [1, 2, 3, 4, 5]
    static let grant: ContinueGrant = {
        guard let activity = try? EncodedActivity(ActivityState(activityType: "t")) else {
            preconditionFailure("the activity can be sent")
        }
        return ContinueGrant(instance: instance, activity: activity, id: [UInt8](repeating: 8, count: 16))
    }()
    static let streamGrant = StreamGrant(token: instance, endpoints: [])
    static let report = ProbeReport(heard: ProbeReport.Heard(signal: -60), ways: [])
    static let error = HandoffError(.noSuchActivity, .activityEnded)

    enum State: String, CaseIterable {
        case awaitingHello, ready, asked, abandoned, owesContinued, asksForStreams, abandonedStreams, serving
        case probes, abandonedProbe, servesProbe, servesStreams, awaitsContinued, overdue, saidGoodbye, heardGoodbye
    }

    static func session(in state: State) -> Session {
        var session = Session(hello: Hello(name: "self", unixTime: 0, sequence: 1))
        func handle(_ events: [Session.Event]) { for event in events { _ = session.handle(event, at: .zero) } }
        handle([.opened])
        if state == .awaitingHello { return session }
        handle([.received(.hello(hello))])
        let ask = Session.Event.ask(id: 1, .activity(hash), deadline: .seconds(20))
        let streams = Session.Event.ask(id: 1, .streams(instance), deadline: .seconds(20))
        let request = Session.Event.received(.continueRequest(ContinueRequest(id: 1, activity: hash)))
        switch state {
        case .awaitingHello, .ready: break
        case .asked: handle([ask])
        case .abandoned: handle([ask, .cancel(id: 1)])
        case .owesContinued: handle([ask, .received(.continueReply(ContinueReply(id: 1, result: .success(grant))))])
        case .asksForStreams: handle([streams])
        case .abandonedStreams: handle([streams, .cancel(id: 1)])
        case .probes: handle([.ask(id: 1, .probe, deadline: .seconds(20))])
        case .abandonedProbe: handle([.ask(id: 1, .probe, deadline: .seconds(20)), .cancel(id: 1)])
        case .servesProbe: handle([.received(.probeRequest(ProbeRequest(id: 1)))])
        case .servesStreams: handle([.received(.streamRequest(StreamRequest(id: 1, instance: instance)))])
        case .serving: handle([request])
        case .awaitsContinued: handle([request, .served(id: 1, result: .success(.activity(grant)))])
        case .overdue:
            handle([request, .served(id: 1, result: .success(.activity(grant)))])
            if let deadline = session.deadline { _ = session.handle(.time, at: deadline) }
        case .saidGoodbye: handle([.drain(.idle)])
        // The session waits for the reply to its own request before it answers the goodbye.
        case .heardGoodbye: handle([ask, .received(.goodbye(Goodbye(reason: .idle)))])
        }
        return session
    }

    static let messages: [String: Frame] = [
        "hello": .hello(hello), "continueRequest": .continueRequest(ContinueRequest(id: 2, activity: hash)),
        "same request": .continueRequest(ContinueRequest(id: 1, activity: hash)),
        "grant": .continueReply(ContinueReply(id: 1, result: .success(grant))),
        "refusal": .continueReply(ContinueReply(id: 1, result: .failure(error))),
        "other reply": .continueReply(ContinueReply(id: 9, result: .failure(error))),
        "continued": .continued(Continued(id: 1, accepted: true)),
        "streamRequest": .streamRequest(StreamRequest(id: 3, instance: instance)),
        "stream grant": .streamReply(StreamReply(id: 1, result: .success(streamGrant))),
        "stream refusal": .streamReply(StreamReply(id: 1, result: .failure(error))),
        "probeRequest": .probeRequest(ProbeRequest(id: 4)),
        "report": .probeReply(ProbeReply(id: 1, result: .success(report))),
        "no report": .probeReply(ProbeReply(id: 1, result: .failure(error))),
        "trial": .trial, "goodbye": .goodbye(Goodbye(reason: .shutdown)),
        "join": .join([]), "welcome": .welcome([]), "joined": .joined([]),
        "attach": .attach(Attach(token: instance, generation: 1, nextOffset: 0, window: 1)),
        "attached": .attached(Attached(nextOffset: 0, window: 0)), "data": .data(StreamData(offset: 0, bytes: [1])),
        "ack": .ack(Ack(offset: 0, window: 0)), "end": .end(End(offset: 0)), "endAck": .endAck,
        "reset": .reset(Reset(reason: .timedOut)), "acceptance": .acceptance(Acceptance(instance: instance)),
        "offer": .offer(LinkOffer(sequence: 1, activity: hash)),
        "reattach": .reattach(Reattach(token: instance, generation: 1)),
    ]

    /// Returns the allowed messages with their results. All others close the channel.
    static func allowed(in state: State) -> [String: [Session.Action]] {
        let always: [String: [Session.Action]] = [
            "hello": [.peerHello(hello)],
            "continueRequest": [.serve(id: 2, .activity(hash))],
            "same request": [.serve(id: 1, .activity(hash))],
            "streamRequest": [.serve(id: 3, .streams(instance))],
            "probeRequest": [.serve(id: 4, .probe)],
            "acceptance": [.acceptedElsewhere(Acceptance(instance: instance))],
            // The link is not kept.
            "offer": [],
            "reattach": [.reattach(Reattach(token: instance, generation: 1))],
            "goodbye": [.draining(.shutdown), .send(.goodbye(Goodbye(reason: .answer))), .close(.drained)],
        ]
        let continued = Frame.continued(Continued(id: 1, accepted: false))
        let more: [String: [Session.Action]?] =
            switch state {
            case .awaitingHello: [:]
            case .ready: [:]
            case .asked:
                [
                    "grant": [.replied(id: 1, result: .success(.activity(grant)))],
                    "refusal": [.replied(id: 1, result: .failure(error))],
                    "goodbye": [.draining(.shutdown)],
                ]
            case .abandoned: ["grant": [.send(continued)], "refusal": []]
            case .owesContinued: ["goodbye": [.draining(.shutdown)]]
            case .asksForStreams:
                [
                    "stream grant": [.replied(id: 1, result: .success(.streams(streamGrant)))],
                    "stream refusal": [.replied(id: 1, result: .failure(error))],
                    "goodbye": [.draining(.shutdown)],
                ]
            case .abandonedStreams: ["stream grant": [], "stream refusal": []]
            case .probes:
                [
                    "report": [.replied(id: 1, result: .success(.probe(report)))],
                    "no report": [.replied(id: 1, result: .failure(error))],
                    "goodbye": [.draining(.shutdown)],
                ]
            case .abandonedProbe: ["report": [], "no report": []]
            case .overdue: ["same request": nil, "continued": []]
            case .serving, .servesStreams, .servesProbe:
                [
                    "same request": nil,
                    "goodbye": [
                        .draining(.shutdown), .send(.goodbye(Goodbye(reason: .answer))), .close(.drained),
                    ],
                ]
            case .awaitsContinued:
                [
                    "same request": nil, "continued": [.continued(grant.acceptance, outcome: .accepted)],
                    "goodbye": [
                        .draining(.shutdown), .continued(grant.acceptance, outcome: .unreported),
                        .send(.goodbye(Goodbye(reason: .answer))), .close(.drained),
                    ],
                ]
            case .saidGoodbye: ["goodbye": [.close(.drained)]]
            case .heardGoodbye:
                [
                    "grant": [.replied(id: 1, result: .success(.activity(grant)))],
                    "refusal": [
                        .replied(id: 1, result: .failure(error)), .send(.goodbye(Goodbye(reason: .answer))),
                        .close(.drained),
                    ],
                ]
            }
        switch state {
        case .awaitingHello: return ["hello": [.peerHello(hello)]]
        case .heardGoodbye: return more.compactMapValues(\.self)
        default:
            var all: [String: [Session.Action]?] = always.mapValues { $0 }
            all.merge(more) { _, new in new }
            return all.compactMapValues(\.self)
        }
    }

    @Test(
        "Every message in every state of a session has its allowed result, or closes it", arguments: State.allCases)
    func everyMessageInEveryState(state: State) {
        let allowed = Self.allowed(in: state)
        for (name, frame) in Self.messages {
            var session = Self.session(in: state)
            let actions = session.handle(.received(frame), at: .seconds(1))
            if let expected = allowed[name] {
                #expect(actions == expected, "\(name)")
            } else {
                // The session only closes, and reports nothing else.
                guard case .close(.unexpected) = actions.last else {
                    Issue.record("\(name) in \(state): \(actions)")
                    continue
                }
                #expect(session.isClosed)
                for action in actions.dropLast() {
                    switch action {
                    case .replied(_, .failure), .continued(_, .unreported): break
                    default: Issue.record("\(name) in \(state): \(action)")
                    }
                }
                #expect(session.handle(.received(frame), at: .seconds(2)) == [])
                #expect(session.deadline == nil)
            }
        }
    }

    @Test("A session ignores frames before it is opened")
    func nothingBeforeItIsOpened() {
        var session = Session(hello: Self.hello)
        #expect(session.handle(.received(.hello(Self.hello)), at: .zero) == [])
        #expect(session.deadline == nil)
    }
}
