// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import Foundation
import Testing

@Suite struct SessionTests {
    private typealias Base = SessionStateTests
    private let hash = Base.hash
    private let instance = Base.instance
    private let grant = Base.grant

    private func ready() -> Session { Base.session(in: .ready) }

    private func isFailure(_ action: Session.Action?, _ code: HandoffError.Code) -> Bool {
        switch action {
        case .replied(_, .failure(let error)): error.code == code
        default: false
        }
    }

    @Test("A request follows directly after the hello")
    func requestBehindTheHello() {
        var session = Session(hello: Base.hello)
        #expect(session.handle(.opened, at: .zero) == [.send(.hello(Base.hello))])
        let actions = session.handle(.ask(id: 5, .activity(hash), deadline: .seconds(9)), at: .zero)
        #expect(actions == [.send(.continueRequest(ContinueRequest(id: 5, activity: hash)))])
    }

    @Test("A session without a hello in 10 seconds closes")
    func aHelloThatDoesNotComeCloses() {
        var session = Session(hello: Base.hello)
        _ = session.handle(.opened, at: .seconds(100))
        #expect(session.deadline == .seconds(110))
        #expect(session.handle(.time, at: .seconds(109)) == [])
        #expect(session.handle(.time, at: .seconds(110)) == [.close(.helloTimedOut)])
    }

    @Test("A changed hello is sent again")
    func aChangedHelloIsSentAgain() {
        var session = ready()
        var hello = Base.hello
        hello.sequence = 9
        #expect(session.handle(.helloChanged(hello), at: .zero) == [.send(.hello(hello))])
    }

    @Test("Sixteen requests may be unfinished, and the next one fails")
    func sixteenRequests() {
        var session = ready()
        for id in 0..<16 {
            let actions = session.handle(.ask(id: UInt64(id), .streams(instance), deadline: .seconds(9)), at: .zero)
            #expect(actions.count == 1)
        }
        let actions = session.handle(.ask(id: 16, .streams(instance), deadline: .seconds(9)), at: .zero)
        #expect(isFailure(actions.first, .busy))
    }

    @Test("A seventeenth request of the peer closes the session")
    func seventeenthRequestCloses() {
        var session = ready()
        for id in 0..<16 {
            _ = session.handle(.received(.streamRequest(StreamRequest(id: UInt64(id), instance: instance))), at: .zero)
        }
        let actions = session.handle(.received(.streamRequest(StreamRequest(id: 16, instance: instance))), at: .zero)
        #expect(actions == [.close(.tooManyRequests)])
    }

    @Test("A request that is not answered in time fails, and a late reply does not violate the protocol")
    func unansweredRequestFails() {
        var session = Base.session(in: .asked)
        #expect(session.deadline == .seconds(20))
        #expect(isFailure(session.handle(.time, at: .seconds(20)).first, .remoteApplicationTimedOut))
        let late = Frame.continueReply(ContinueReply(id: 1, result: .success(grant)))
        #expect(
            session.handle(.received(late), at: .seconds(21))
                == [.send(.continued(Continued(id: 1, accepted: false)))])
        #expect(session.handle(.reportContinued(id: 1, accepted: true), at: .seconds(21)) == [])
    }

    @Test("An accepted continuation is reported once")
    func reportedOnce() {
        var session = Base.session(in: .asked)
        _ = session.handle(.received(.continueReply(ContinueReply(id: 1, result: .success(grant)))), at: .zero)
        #expect(
            session.handle(.reportContinued(id: 1, accepted: true), at: .zero)
                == [.send(.continued(Continued(id: 1, accepted: true)))])
        #expect(session.handle(.reportContinued(id: 1, accepted: false), at: .zero) == [])
    }

    @Test("A missing report about a continuation counts as a refusal")
    func missingReportIsMade() {
        var session = Base.session(in: .asked)
        _ = session.handle(.received(.continueReply(ContinueReply(id: 1, result: .success(grant)))), at: .seconds(1))
        #expect(session.deadline == .seconds(121))
        #expect(session.handle(.time, at: .seconds(121)) == [.send(.continued(Continued(id: 1, accepted: false)))])
    }

    @Test(
        "A report that does not arrive in time counts as a refusal, and its late arrival does not violate the protocol")
    func missingReportIsGivenUp() {
        var session = Base.session(in: .awaitsContinued)
        #expect(session.deadline == .seconds(120))
        #expect(session.handle(.time, at: .seconds(120)) == [.continued(grant.acceptance, outcome: .declined)])
        let late = Frame.continued(Continued(id: 1, accepted: true))
        #expect(session.handle(.received(late), at: .seconds(121)) == [])
        #expect(session.handle(.received(late), at: .seconds(122)).count == 1)
        #expect(session.isClosed)
    }

    @Test("If this side does not answer in time, the peer gets a timeout error")
    func missingAnswerIsGiven() {
        var session = Base.session(in: .serving)
        let actions = session.handle(.time, at: .seconds(60))
        #expect(actions.count == 1)
        guard case .send(.continueReply(let reply)) = actions.last, case .failure(let error) = reply.result else {
            Issue.record("no answer: \(actions)")
            return
        }
        #expect(error.code == .remoteApplicationTimedOut)
        #expect(session.handle(.served(id: 1, result: .success(.activity(grant))), at: .seconds(61)) == [])
    }

    @Test("A grant that cannot be encoded is answered with an error")
    func grantThatCannotBeEncoded() {
        var session = Base.session(in: .serving)
        var wrong = grant
        wrong.origin = [1]
        let actions = session.handle(.served(id: 1, result: .success(.activity(wrong))), at: .zero)
        guard case .send(.continueReply(let reply)) = actions.first, case .failure(let error) = reply.result else {
            Issue.record("no answer: \(actions)")
            return
        }
        #expect(error.code == .invalidActivity)
    }

    @Test("After thirty idle seconds both sides say goodbye")
    func idlenessEndsWithGoodbyes() {
        var session = ready()
        #expect(session.deadline == .seconds(30))
        #expect(
            session.handle(.time, at: .seconds(30))
                == [.draining(.idle), .send(.goodbye(Goodbye(reason: .idle)))])
        #expect(!session.acceptsRequests)
        let goodbye = Frame.goodbye(Goodbye(reason: .answer))
        #expect(session.handle(.received(goodbye), at: .seconds(31)) == [.close(.drained)])
    }

    @Test(
        "A session with an unfinished request is not idle",
        arguments: [SessionStateTests.State.asked, .serving, .awaitsContinued])
    func nothingIsIdle(state: SessionStateTests.State) {
        var session = Base.session(in: state)
        #expect(session.handle(.time, at: .seconds(19)) == [])
        #expect(session.deadline != .seconds(30))
    }

    @Test("A request that crosses a goodbye is still answered")
    func requestCrossesAGoodbye() {
        var session = Base.session(in: .saidGoodbye)
        _ = session.handle(.received(.continueRequest(ContinueRequest(id: 4, activity: hash))), at: .zero)
        let reply = ContinueReply(id: 4, result: .success(grant))
        #expect(
            session.handle(.served(id: 4, result: reply.result.map(Session.Reply.activity)), at: .zero) == [
                .send(.continueReply(reply))
            ])
    }

    @Test("A draining session finishes its requests before the goodbye")
    func drainingLetsRequestsFinish() {
        var session = Base.session(in: .asked)
        #expect(session.handle(.drain(.duplicate), at: .zero) == [.draining(.duplicate)])
        _ = session.handle(.received(.continueReply(ContinueReply(id: 1, result: .success(grant)))), at: .zero)
        #expect(
            session.handle(.reportContinued(id: 1, accepted: true), at: .zero)
                == [
                    .send(.continued(Continued(id: 1, accepted: true))),
                    .send(.goodbye(Goodbye(reason: .duplicate))),
                ])
        let refused = session.handle(.ask(id: 2, .activity(hash), deadline: .seconds(1)), at: .zero)
        #expect(isFailure(refused.first, .connectionUnavailable))
    }

    @Test("The session closes if its goodbye is not answered")
    func unansweredGoodbyeCloses() {
        var session = Base.session(in: .saidGoodbye)
        #expect(session.deadline == .seconds(120))
        #expect(session.handle(.time, at: .seconds(120)) == [.close(.drainTimedOut)])
    }

    @Test("When the channel is lost, all waiting callers get a failure")
    func lostChannelTellsAll() {
        var session = ready()
        _ = session.handle(.ask(id: 1, .activity(hash), deadline: .seconds(1)), at: .zero)
        _ = session.handle(.ask(id: 2, .streams(instance), deadline: .seconds(1)), at: .zero)
        _ = session.handle(.received(.continueRequest(ContinueRequest(id: 1, activity: hash))), at: .zero)
        let actions = session.handle(.closed, at: .zero)
        #expect(actions.count == 2)
        #expect(isFailure(actions[0], .connectionUnavailable))
        #expect(isFailure(actions[1], .connectionUnavailable))
        #expect(session.handle(.closed, at: .zero) == [])
        let late = session.handle(.ask(id: 3, .streams(instance), deadline: .seconds(1)), at: .zero)
        #expect(isFailure(late.first, .connectionUnavailable))
    }

    @Test("If there are two channels, the one that the device with the smaller id dialled stays")
    func smallerDeviceStays() {
        let small: [UInt8] = [1, 255]
        let large: [UInt8] = [2, 0]
        for local in [small, large] {
            #expect(DuplicateChannels.survivor(dialledBy: small, large, local: local) == .older)
            #expect(DuplicateChannels.survivor(dialledBy: large, small, local: local) == .newer)
        }
        #expect(DuplicateChannels.survivor(dialledBy: small, small, local: small) == .newer)
        #expect(DuplicateChannels.survivor(dialledBy: small, small, local: large) == nil)
    }
}
