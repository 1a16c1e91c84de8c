// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import Testing

/// Tests that an acceptance of one side arrives at the other side, or is sent again over another
/// channel.
@Suite struct SessionAcceptanceTests {
    private typealias Base = SessionStateTests
    private let lost = Session.Action.acceptanceLost(Base.grant.acceptance)

    @Test("An acceptance that is given after the channel's end is sent over another channel, once")
    func afterTheEnd() {
        var session = Base.session(in: .owesContinued)
        #expect(session.handle(.closed, at: .seconds(1)) == [])
        #expect(session.handle(.reportContinued(id: 1, accepted: true), at: .seconds(2)) == [lost])
        #expect(session.handle(.reportContinued(id: 1, accepted: true), at: .seconds(3)) == [])
        #expect(session.deadline == nil)
    }

    @Test("A refusal that is given after the channel's end is not sent")
    func declinedAfterTheEnd() {
        var session = Base.session(in: .owesContinued)
        _ = session.handle(.closed, at: .seconds(1))
        #expect(session.handle(.reportContinued(id: 1, accepted: false), at: .seconds(2)) == [])
        #expect(session.handle(.reportContinued(id: 1, accepted: true), at: .seconds(2)) == [])
    }

    @Test("An acceptance that was sent on a channel that breaks may be lost")
    func said() {
        var session = Base.session(in: .owesContinued)
        _ = session.handle(.reportContinued(id: 1, accepted: true), at: .seconds(1))
        #expect(session.handle(.closed, at: .seconds(2)) == [lost])
        #expect(session.handle(.closed, at: .seconds(3)) == [])
    }

    @Test("If the other side said goodbye first, the report may be lost with the channel, and is sent again")
    func goodbyeFirst() {
        for reason in [Goodbye.Reason.idle, .duplicate, .shutdown, .muted] {
            var session = Base.session(in: .owesContinued)
            _ = session.handle(.received(.goodbye(Goodbye(reason: reason))), at: .seconds(1))
            #expect(
                session.handle(.reportContinued(id: 1, accepted: true), at: .seconds(2)) == [
                    .send(.continued(Continued(id: 1, accepted: true))),
                    .send(.goodbye(Goodbye(reason: .answer))), lost, .close(.drained),
                ])
            #expect(session.handle(.closed, at: .seconds(3)) == [])
        }
    }

    @Test("Only a goodbye from an idle side, or in answer to this side's goodbye, shows that an acceptance has arrived")
    func confirmed() {
        for (reason, isConfirmed) in [(Goodbye.Reason.idle, true), (.answer, true), (.shutdown, false)] {
            var session = Base.session(in: .owesContinued)
            _ = session.handle(.reportContinued(id: 1, accepted: true), at: .seconds(1))
            if reason == .answer { _ = session.handle(.drain(.idle), at: .seconds(2)) }
            let actions = session.handle(.received(.goodbye(Goodbye(reason: reason))), at: .seconds(2))
            #expect(actions.last == .close(.drained) && actions.contains(lost) == !isConfirmed, "\(reason)")
        }
    }

    @Test("An acceptance counts as delivered after both goodbyes, and is dropped after two minutes")
    func arrived() {
        var session = Base.session(in: .owesContinued)
        _ = session.handle(.reportContinued(id: 1, accepted: true), at: .seconds(1))
        let actions = session.handle(.received(.goodbye(Goodbye(reason: .idle))), at: .seconds(2))
        #expect(actions.last == .close(.drained) && !actions.contains(lost))

        session = Base.session(in: .owesContinued)
        _ = session.handle(.reportContinued(id: 1, accepted: true), at: .seconds(1))
        #expect(session.handle(.closed, at: .seconds(121)) == [])
    }

    @Test("After a channel breaks, at most its sixteen newest acceptances are sent again")
    func bounded() {
        var session = Base.session(in: .ready)
        for id in 0..<20 {
            let ask = Session.Event.ask(id: UInt64(id), .activity(Base.hash), deadline: .seconds(9))
            _ = session.handle(ask, at: .zero)
            let grant = ContinueGrant(
                instance: [UInt8](repeating: UInt8(id), count: 16), activity: Base.grant.activity)
            let reply = ContinueReply(id: UInt64(id), result: .success(grant))
            _ = session.handle(.received(.continueReply(reply)), at: .zero)
            _ = session.handle(.reportContinued(id: UInt64(id), accepted: true), at: .zero)
        }
        let expected = (4..<20).map { id -> Session.Action in
            .acceptanceLost(Acceptance(instance: [UInt8](repeating: UInt8(id), count: 16)))
        }
        #expect(session.handle(.closed, at: .zero) == expected)
    }

    @Test("A lost acceptance is resent once, in an Acceptance frame")
    func toldAgain() {
        var session = Base.session(in: .ready)
        #expect(
            session.handle(.tellAcceptance(Base.grant.acceptance), at: .zero)
                == [.send(.acceptance(Base.grant.acceptance))])
        #expect(session.handle(.closed, at: .zero) == [])
        #expect(session.handle(.tellAcceptance(Base.grant.acceptance), at: .zero) == [])
        session = Base.session(in: .saidGoodbye)
        #expect(session.handle(.tellAcceptance(Base.grant.acceptance), at: .zero) == [])
    }

    @Test(
        "Wherever a channel is cut, the other side knows an acceptance, or it will be sent again", arguments: 0..<4
    )
    func cutAnywhere(cut: Int) {
        var (asking, serving) = (Base.session(in: .asked), Base.session(in: .serving))
        var (outcomes, isToBeTold, sent): ([Session.ContinueOutcome], Bool, Int) = ([], false, 0)
        /// Returns the frames that the channel carries.
        func carried(_ actions: [Session.Action]) -> [Session.Event] {
            var events: [Session.Event] = []
            for action in actions {
                switch action {
                case .send(let frame):
                    sent += 1
                    if sent <= cut { events.append(.received(frame)) }
                case .continued(_, let outcome): outcomes.append(outcome)
                case .acceptanceLost: isToBeTold = true
                default: break
                }
            }
            return events
        }
        let reply = carried(serving.handle(.served(id: 1, result: .success(.activity(Base.grant))), at: .zero))
        for event in reply { _ = carried(asking.handle(event, at: .zero)) }
        if cut == 1 { _ = carried(asking.handle(.closed, at: .zero)) }
        let report = carried(asking.handle(.reportContinued(id: 1, accepted: true), at: .zero))
        for event in report { _ = carried(serving.handle(event, at: .zero)) }
        _ = carried(asking.handle(.closed, at: .zero))
        _ = carried(serving.handle(.closed, at: .zero))
        #expect(isToBeTold == !reply.isEmpty)
        #expect(outcomes == [cut < 2 ? .unreported : .accepted])
    }
}
