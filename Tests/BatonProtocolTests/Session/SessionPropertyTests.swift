// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import Diagnosis
import Testing

/// Two honest sessions with queues between them, whose messages arrive in random order.
///
/// Neither ever accuses the other of a violation. Every request is answered exactly once, unless it
/// was cancelled. If nothing more happens to a session, it comes to rest.
@Suite struct SessionPropertyTests {
    private static let requests: [Session.Request] = [
        .activity(SessionStateTests.hash), .streams(SessionStateTests.instance), .probe,
    ]

    private static func reply(to request: Session.Request) -> Session.Reply {
        switch request {
        case .activity: .activity(SessionStateTests.grant)
        case .streams: .streams(StreamGrant(token: SessionStateTests.instance, endpoints: []))
        case .probe: .probe(SessionStateTests.report)
        }
    }

    /// Expects that a session to which nothing more happens closes. If a deadline stayed in the
    /// past, the session's alarm would never stop.
    private static func expectRest(of session: Session, after now: Duration) {
        var (session, now) = (session, now)
        for _ in 0..<100 {
            guard let deadline = session.deadline else { return }
            now = max(now, deadline)
            _ = session.handle(.time, at: now)
        }
        Issue.record("the session still waits at \(now)")
    }

    private struct Side {
        var session: Session
        var inbox: [Frame] = []
        var nextID: UInt64 = 0
        var asked: Set<UInt64> = []
        var answered: [UInt64] = []
        var cancelled: Set<UInt64> = []
        var owed: [UInt64] = []
        var serving: [(id: UInt64, request: Session.Request)] = []
        var granted = 0
        var reported = 0
        var closing: Session.CloseReason?
    }

    @Test(
        "With random schedules, no honest session violates the protocol, and each request is answered once",
        arguments: 0..<200) func randomSchedules(seed: Int)
    {
        var generator = SeededGenerator(seed: UInt64(seed))
        let hello = Hello(name: "a", unixTime: 0, sequence: 0, activity: [1, 2, 3, 4, 5])
        var sides = [Side(session: Session(hello: hello)), Side(session: Session(hello: hello))]
        var now = Duration.zero

        func handle(_ index: Int, _ event: Session.Event) {
            for action in sides[index].session.handle(event, at: now) {
                switch action {
                case .send(let frame): sides[1 - index].inbox.append(frame)
                case .serve(let id, let request): sides[index].serving.append((id, request))
                case .replied(let id, let result):
                    sides[index].answered.append(id)
                    if case .success(.activity) = result { sides[index].owed.append(id) }
                case .continued: sides[index].reported += 1
                case .close(let reason): sides[index].closing = reason
                case .peerHello, .draining, .acceptedElsewhere, .acceptanceLost, .reattach, .offer, .offerConfirmed:
                    break
                }
            }
        }

        func step(_ index: Int) {
            switch Int.random(in: 0..<100, using: &generator) {
            case 0..<35 where !sides[index].inbox.isEmpty: handle(index, .received(sides[index].inbox.removeFirst()))
            case 35..<55:
                let id = sides[index].nextID
                sides[index].nextID += 1
                sides[index].asked.insert(id)
                let deadline = now + .seconds(Int.random(in: 1...90, using: &generator))
                let request = Self.requests[Int.random(in: 0..<3, using: &generator)]
                handle(index, .ask(id: id, request, deadline: deadline))
            case 55..<75 where !sides[index].serving.isEmpty:
                let (id, request) = sides[index].serving.removeFirst()
                let reply = Bool.random(using: &generator) ? Self.reply(to: request) : nil
                if case .activity = reply { sides[index].granted += 1 }
                let gone = HandoffError(.noSuchActivity, .activityEnded)
                handle(index, .served(id: id, result: reply.map { .success($0) } ?? .failure(gone)))
            case 75..<85 where !sides[index].owed.isEmpty:
                handle(index, .reportContinued(id: sides[index].owed.removeFirst(), accepted: true))
            case 85..<90 where sides[index].nextID > 0:
                let id = UInt64.random(in: 0..<sides[index].nextID, using: &generator)
                if !sides[index].answered.contains(id) { sides[index].cancelled.insert(id) }
                handle(index, .cancel(id: id))
            case 90..<94:
                now += .seconds(Int.random(in: 0...10, using: &generator))
                handle(0, .time)
                handle(1, .time)
            case 94 where Bool.random(using: &generator):
                let title = "\(Int.random(in: 0..<3, using: &generator))"
                handle(index, .offerChanged(LinkOffer(sequence: 0, activity: [1, 2, 3, 4, 5], title: title)))
            case 95: handle(index, .keepsLinkChanged(Bool.random(using: &generator)))
            case 96: handle(index, Bool.random(using: &generator) ? .check : .confirmOffer)
            case 97: handle(index, .helloChanged(hello))
            case 98 where Int.random(in: 0..<8, using: &generator) == 0: handle(index, .drain(.shutdown))
            default: break
            }
        }

        handle(0, .opened)
        handle(1, .opened)
        for round in 0..<1_500 {
            step(Int.random(in: 0...1, using: &generator))
            if round.isMultiple(of: 100) { for side in sides { Self.expectRest(of: side.session, after: now) } }
        }
        for index in 0...1 { handle(index, .drain(.shutdown)) }
        // When one side closes the channel, the other side sees that after it has read everything.
        for _ in 0..<40 {
            for index in 0...1 {
                while !sides[index].inbox.isEmpty { handle(index, .received(sides[index].inbox.removeFirst())) }
                for (id, _) in sides[index].serving {
                    handle(index, .served(id: id, result: .failure(HandoffError(.busy, .laptopBusy))))
                }
                sides[index].serving = []
            }
            now += .seconds(5)
            for index in 0...1 { handle(index, .time) }
            for index in 0...1 where sides[1 - index].closing != nil && sides[index].inbox.isEmpty {
                handle(index, .closed)
            }
        }
        for side in sides {
            #expect(side.session.isClosed)
            switch side.closing {
            case nil, .drained: break
            // With these delays a peer may be late, which does not violate the protocol.
            case .helloTimedOut, .drainTimedOut, .silent: break
            case let reason?: Issue.record("\(reason)")
            }
            let once = Set(side.answered).count == side.answered.count
            let all =
                side.cancelled.union(side.answered) == side.asked && side.cancelled.isDisjoint(with: side.answered)
            #expect(once && all)
            #expect(side.reported <= side.granted)
        }
    }
}
