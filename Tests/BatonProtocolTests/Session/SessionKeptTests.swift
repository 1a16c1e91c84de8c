// SPDX-License-Identifier: Apache-2.0

import Diagnosis
import Testing

@testable import BatonProtocol

/// Tests links that both sides keep (Session.md, "Kept links").
@Suite struct SessionKeptTests {
    private static let offer = LinkOffer(sequence: 7, activity: [1, 2, 3, 4, 5], flags: [.hasWebpage], title: "A page")
    private static let nothing = LinkOffer(sequence: 8, activity: nil)

    private static func hello(keeps: Bool) -> Hello {
        var hello = Hello(name: "peer", unixTime: 0, sequence: 1, activity: offer.activity)
        hello.keepsLink = keeps
        return hello
    }

    /// Returns a session whose peer has said hello.
    private static func session(keeps: Bool = true, peerKeeps: Bool = true, offer: LinkOffer? = nil) -> Session {
        var session = Session(hello: hello(keeps: keeps), offer: offer)
        _ = session.handle(.opened, at: .zero)
        _ = session.handle(.received(.hello(hello(keeps: peerKeeps))), at: .zero)
        return session
    }

    private static func isPing(_ action: Session.Action?) -> Bool {
        if case .send(.continueRequest(let request)) = action { request.activity == [0, 0, 0, 0, 0] } else { false }
    }

    @Test(
        "Only a link that both sides keep stays open while nothing is requested", arguments: [true, false],
        [true, false])
    func bothSidesKeep(keeps: Bool, peerKeeps: Bool) {
        var session = Self.session(keeps: keeps, peerKeeps: peerKeeps)
        #expect(session.isKept == (keeps && peerKeeps))
        #expect(session.deadline == .seconds(session.isKept ? 270 : 30))
        let actions = session.handle(.time, at: .seconds(30))
        #expect(actions.contains(.draining(.idle)) == !session.isKept)
    }

    @Test("When either side no longer wants to keep a link, the link ends after its idle time")
    func oneSideKeepsNoLonger() {
        var session = Self.session()
        #expect(
            session.handle(.keepsLinkChanged(false), at: .seconds(100)) == [.send(.hello(Self.hello(keeps: false)))])
        #expect(session.deadline == .seconds(130))
        session = Self.session()
        _ = session.handle(.received(.offer(Self.offer)), at: .seconds(1))
        let actions = session.handle(.received(.hello(Self.hello(keeps: false))), at: .seconds(100))
        #expect(actions.last == .offer(nil))
        #expect(session.deadline == .seconds(130))
    }

    @Test("A hello that changes later still says whether the link is kept")
    func changedHelloKeeps() {
        var session = Self.session()
        #expect(
            session.handle(.helloChanged(Hello(name: "peer", unixTime: 5, sequence: 2)), at: .zero).contains {
                if case .send(.hello(let hello)) = $0 { hello.keepsLink && hello.sequence == 2 } else { false }
            })
        #expect(session.isKept)
    }

    @Test("The current offer is sent when a link becomes kept, and each change is sent once")
    func offersAreTold() {
        var session = Session(hello: Self.hello(keeps: true), offer: Self.offer)
        _ = session.handle(.opened, at: .zero)
        let actions = session.handle(.received(.hello(Self.hello(keeps: true))), at: .zero)
        #expect(actions.last == .send(.offer(Self.offer)))
        #expect(session.handle(.offerChanged(Self.offer), at: .zero) == [])
        #expect(session.handle(.offerChanged(Self.nothing), at: .zero) == [.send(.offer(Self.nothing))])
        #expect(session.handle(.offerChanged(Self.nothing), at: .zero) == [])
    }

    @Test("An offer waits for the hello that names its activity, but the end of an offer does not")
    func helloComesFirst() {
        var session = Self.session(offer: Self.offer)
        var other = Self.offer
        other.activity = [6, 7, 8, 9, 10]
        #expect(session.handle(.offerChanged(other), at: .zero) == [])
        #expect(session.handle(.time, at: .seconds(1)) == [])
        var hello = Self.hello(keeps: true)
        hello.activity = other.activity
        #expect(session.handle(.helloChanged(hello), at: .seconds(1)) == [.send(.hello(hello)), .send(.offer(other))])
        #expect(session.handle(.offerChanged(Self.nothing), at: .seconds(1)) == [.send(.offer(Self.nothing))])
    }

    @Test("While there is no activity, no offer is sent at first")
    func nothingToTell() {
        var session = Self.session(offer: Self.nothing)
        #expect(session.handle(.time, at: .seconds(1)) == [])
    }

    @Test("No offer is sent over a link that is not kept", arguments: [true, false])
    func offersOnlyOverKeptLinks(keeps: Bool) {
        var session = Self.session(keeps: keeps, peerKeeps: !keeps)
        #expect(session.handle(.offerChanged(Self.offer), at: .zero) == [])
    }

    @Test("Sixteen offers are sent at once and then one in 100 ms, and the last offer is never left out")
    func paceOfOffers() {
        var session = Self.session()
        var sent = 0
        for number: UInt32 in 1...20 {
            var offer = Self.offer
            offer.sequence = number
            sent += session.handle(.offerChanged(offer), at: .seconds(1)).count
        }
        #expect(sent == 16)
        #expect(session.deadline == .milliseconds(1_100))
        var last = Self.offer
        last.sequence = 20
        #expect(session.handle(.time, at: .milliseconds(1_100)) == [.send(.offer(last))])
        #expect(session.deadline == .seconds(270))
    }

    @Test("An offer of the peer is reported once, and so is its end")
    func offersAreReported() {
        var session = Self.session()
        #expect(session.handle(.received(.offer(Self.offer)), at: .zero) == [.offer(Self.offer)])
        #expect(session.handle(.received(.offer(Self.offer)), at: .zero) == [])
        #expect(session.peerOffer == Self.offer)
        #expect(session.handle(.received(.offer(Self.nothing)), at: .zero) == [.offer(nil)])
    }

    @Test("An offer over a link that is not kept is ignored", arguments: [true, false])
    func offersOverOtherLinks(keeps: Bool) {
        var session = Self.session(keeps: keeps, peerKeeps: !keeps)
        #expect(session.handle(.received(.offer(Self.offer)), at: .zero) == [])
        #expect(session.peerOffer == nil)
    }

    @Test("The session closes if the peer sends offers faster than allowed")
    func tooManyOffers() {
        var session = Self.session()
        var events: [Session.Action] = []
        for _ in 0..<64 { events += session.handle(.received(.offer(Self.offer)), at: .zero) }
        #expect(events == [.offer(Self.offer)])
        #expect(session.handle(.received(.offer(Self.offer)), at: .zero) == [.offer(nil), .close(.tooManyOffers)])
    }

    @Test("A kept link is pinged after 270 s of silence, and closed if no answer comes in 5 s")
    func keepAlive() {
        var session = Self.session()
        _ = session.handle(.received(.offer(Self.offer)), at: .zero)
        #expect(session.handle(.time, at: .seconds(269)) == [])
        #expect(Self.isPing(session.handle(.time, at: .seconds(270)).first))
        #expect(session.deadline == .seconds(272))
        #expect(session.handle(.time, at: .seconds(272)) == [.offer(nil)])
        #expect(session.handle(.time, at: .seconds(275)) == [.close(.silent)])
    }

    @Test("Any frame or byte from the peer ends a check", arguments: [true, false])
    func signsOfLife(isFrame: Bool) {
        var session = Self.session()
        _ = session.handle(.received(.offer(Self.offer)), at: .zero)
        _ = session.handle(.time, at: .seconds(270))
        #expect(session.handle(.time, at: .seconds(272)) == [.offer(nil)])
        let sign: Session.Event =
            isFrame ? .received(.hello(Self.hello(keeps: true))) : .bytesArrived(at: .seconds(273))
        #expect(session.handle(sign, at: .seconds(273)).first == .offer(Self.offer))
        #expect(session.deadline == .seconds(543))
    }

    @Test("Bytes from before a check do not answer it")
    func earlierBytes() {
        var session = Self.session()
        _ = session.handle(.check, at: .seconds(100))
        #expect(session.handle(.bytesArrived(at: .seconds(99)), at: .seconds(101)) == [])
        #expect(session.handle(.time, at: .seconds(105)) == [.close(.silent)])
    }

    @Test("An offer is up to date without a ping if the peer was heard in the last 60 s")
    func recentOffers() {
        var session = Self.session()
        _ = session.handle(.received(.offer(Self.offer)), at: .zero)
        #expect(session.handle(.confirmOffer, at: .seconds(59)) == [.offerConfirmed])
    }

    @Test("After 60 s of silence, an offer is confirmed by one ping, and withdrawn if no answer comes in 2 s")
    func confirmation() {
        var session = Self.session()
        _ = session.handle(.received(.offer(Self.offer)), at: .zero)
        let actions = session.handle(.confirmOffer, at: .seconds(60))
        #expect(actions.count == 1 && Self.isPing(actions.first))
        #expect(session.handle(.confirmOffer, at: .seconds(61)) == [])
        var answered = session
        let reply = Frame.continueReply(
            ContinueReply(id: .max, result: .failure(HandoffError(.noSuchActivity, .activityEnded))))
        #expect(answered.handle(.received(reply), at: .seconds(61)) == [.offerConfirmed])
        #expect(answered.peerOffer == Self.offer)
        #expect(session.handle(.time, at: .seconds(62)) == [.offer(nil), .offerConfirmed])
        #expect(session.peerOffer == nil)
        #expect(session.handle(.confirmOffer, at: .seconds(63)) == [.offerConfirmed])
    }

    @Test("A replaced channel is checked while it drains, and closed if no answer comes in 5 s")
    func olderChannel() {
        var session = Self.session(keeps: false)
        #expect(Self.isPing(session.handle(.check, at: .seconds(1)).first))
        #expect(session.handle(.drain(.duplicate), at: .seconds(1)).contains(.draining(.duplicate)))
        #expect(session.handle(.time, at: .seconds(6)) == [.close(.silent)])
    }

    @Test("A check does not begin while sixteen requests are unfinished")
    func checkNeedsRoom() {
        var session = Self.session()
        for id in 0..<UInt64(16) {
            _ = session.handle(.ask(id: id, .probe, deadline: .seconds(600)), at: .zero)
        }
        #expect(session.handle(.check, at: .zero) == [])
    }

    @Test("A kept link is closed after 270 s of silence if sixteen pings still have no reply")
    func noRoomForTheKeepAlive() {
        var session = Self.session()
        for second in 1...16 {
            #expect(Self.isPing(session.handle(.check, at: .seconds(second)).first))
            // A frame other than the reply ends the check, although the ping stays unanswered.
            _ = session.handle(.received(.hello(Self.hello(keeps: true))), at: .seconds(second))
        }
        #expect(session.deadline == .seconds(286))
        #expect(session.handle(.time, at: .seconds(286)) == [.close(.silent)])
        #expect(session.deadline == nil)
    }

    @Test("A grant that comes in reply to a ping is declined")
    func grantForAPing() {
        var session = Self.session()
        _ = session.handle(.check, at: .zero)
        let grant = ContinueReply(id: .max, result: .success(SessionStateTests.grant))
        #expect(
            session.handle(.received(.continueReply(grant)), at: .zero)
                == [.send(.continued(Continued(id: .max, accepted: false)))])
    }

    @Test("The end of a kept link ends its offer")
    func endOfTheLink() {
        for event in [Session.Event.closed, .drain(.shutdown), .received(.goodbye(Goodbye(reason: .shutdown)))] {
            var session = Self.session()
            _ = session.handle(.received(.offer(Self.offer)), at: .zero)
            #expect(session.handle(event, at: .seconds(1)).contains(.offer(nil)))
        }
    }
}
