// SPDX-License-Identifier: Apache-2.0

@testable import BatonProtocol
import BatonTesting
import BatonTransport
import Diagnosis
import SimulatedTransport
import Testing

@testable import BatonService

extension ServiceTests.HandoverLane {
    /// Tests what the publisher learns about an activity that another device has fetched.
    struct AcceptanceTests {
        private func continued(_ device: Device) async throws {
            _ = try await device.next("was continued") { if case .wasContinued = $0 { true } else { nil } }
        }

        private func reason(_ device: Device) async throws -> Reason {
            try await device.next("was not continued") { event -> Reason? in
                if case .notContinued(_, Device.app, _, "berta", let reason) = event { reason } else { nil }
            }
        }

        private func isTold(_ device: Device) -> Bool {
            device.untaken.contains {
                switch $0 {
                case .wasContinued, .notContinued: true
                default: false
                }
            }
        }

        /// Breaks the connections, and returns when both sides know that. There may already be a
        /// new connection, because a device dials at once to resend an acceptance that may be lost.
        private func breakLinks(_ anna: Device, _ berta: Device) async throws {
            let before = await anna.service.peers.links.open + berta.service.peers.links.open
            await berta.service.breakLinks()
            for device in [anna, berta] {
                try await device.until("the end of the connections there were", after: .traceLine) {
                    await !device.service.peers.links.open.contains { link in before.contains { $0 === link } }
                }
            }
        }

        /// Fetches the note on a device without a decision of the app.
        ///
        /// - Returns: The link, and the acceptance that the device would send.
        private func fetch(_ device: Device) async throws -> (PeerLink, Acceptance) {
            _ = try await device.continueOffer(ofType: "note")
            let link = try #require(await device.service.peers.links.open.first)
            let request = try #require(link.session.localRequests.values.first)
            guard case .owesContinued(let granted, _) = request else {
                throw Missing(what: "a grant without a report, not \(request)")
            }
            return (link, granted)
        }

        @Test("An acceptance that is given after the connection broke is sent over the next connection")
        func toldAgain() async throws {
            // The clock stands still, so no time limit passes.
            try await World.withPair { anna, berta, clock in
                try await anna.publish("note")
                let id = try await berta.continueOffer(ofType: "note").continuation
                try await breakLinks(anna, berta)
                #expect(await anna.service.counts["unreportedContinuations"] == 1)
                try await berta.service.accept(id, accepted: true, client: Device.app)
                // On a busy machine the first dial may fail. When berta then hears anna, the next
                // dial waits for two seconds.
                try await anna.until("the report", after: .logLine, .traceLine) {
                    if await berta.service.isToRedial { clock.advance(by: OwedAcceptances.dialInterval) }
                    return await anna.service.counts["unreportedContinuations"] == 0
                }
                try await continued(anna)
                #expect(await berta.service.counts["owedAcceptances"] == 0)
            }
        }

        @Test("An acceptance that comes before its connection has ended here is reported at that end, once")
        func overtaking() async throws {
            try await World.withPair(clock: ManualClock()) { anna, berta in
                try await anna.publish("note")
                let granted = try await fetch(berta).1
                let other = try await Speaker(berta, at: anna)
                other.send(.hello(other.hello))
                other.send(.acceptance(granted))
                // The reply to the next request follows all reports on the same channel.
                try await other.say()
                #expect(!isTold(anna))
                #expect(await anna.service.earlyAcceptanceCount == 1)
                await berta.service.breakLinks()
                try await continued(anna)
                #expect(await anna.service.earlyAcceptanceCount == 0)
                other.send(.acceptance(granted))
                try await other.say()
                #expect(!isTold(anna))
                #expect(await anna.service.counts["unreportedContinuations"] == 0)
                other.close()
            }
        }

        @Test("An acceptance that is given just before the connection breaks is reported once")
        func once() async throws {
            try await World.withPair(clock: ManualClock()) { anna, berta in
                try await anna.publish("note")
                _ = try await berta.takeOver("note")
                try await continued(anna)
                let before = await berta.service.peers.links.open
                await berta.service.breakLinks()
                // The accepting device must assume that the acceptance was lost.
                try await berta.until("it is told again, over another link", after: .logLine, .traceLine) {
                    let links = await berta.service.peers.links.open
                    guard links.count == 1, !before.contains(where: { $0 === links[0] }) else { return false }
                    return await berta.service.counts["owedAcceptances"] == 0
                }
                for _ in 0..<2 {
                    _ = try await berta.takeOver("note")
                    try await continued(anna)
                }
                // The ping's answer follows all reports on the same channel.
                _ = try await berta.service.ping("anna")
                #expect(!isTold(anna))
            }
        }

        @Test("After two fetches of one activity, each resent acceptance names the right fetch")
        func whichGrant() async throws {
            try await World.withPair { anna, berta, clock in
                try await anna.publish("note")
                let open = try await berta.continueOffer(ofType: "note").continuation
                _ = try await berta.takeOver("note")
                try await continued(anna)
                try await breakLinks(anna, berta)
                // The ping's answer follows the earlier acceptance, which is sent again.
                _ = try await berta.service.ping("anna")
                #expect(await berta.service.counts["owedAcceptances"] == 0)
                #expect(await anna.service.counts["unreportedContinuations"] == 1)
                #expect(!isTold(anna))
                try await berta.service.accept(open, accepted: true, client: Device.app)
                try await continued(anna)
                #expect(await anna.service.counts["unreportedContinuations"] == 0)
            }
        }

        @Test("If a connection breaks before the app has accepted, that is reported after a while, and the offer stays")
        func lost() async throws {
            #expect(UnreportedContinuations.grace == .seconds(15))
            try await World.withPair { anna, berta, clock in
                try await anna.publish("note")
                let offer = try await berta.offer(ofType: "note").offer
                let id = try await berta.service.continueOffer(offer, timeout: nil, client: Device.app).continuation
                try await breakLinks(anna, berta)
                #expect(!isTold(anna))
                clock.advance(by: UnreportedContinuations.grace)
                #expect(try await reason(anna).failure == .reportMissing)
                // An acceptance that comes later is reported, too.
                try await berta.service.accept(id, accepted: true, client: Device.app)
                try await continued(anna)
                _ = try await berta.service.continueOffer(offer, timeout: nil, client: Device.app)
            }
        }

        @Test("An acceptance more than two minutes after the fetch has no effect")
        func tooLate() async throws {
            try await World.withPair { anna, berta, clock in
                try await anna.publish("note")
                _ = try await berta.continueOffer(ofType: "note")
                try await breakLinks(anna, berta)
                clock.advance(by: .seconds(120))
                _ = try await reason(anna)
                #expect(await anna.service.counts["unreportedContinuations"] == 0)
            }
        }

        @Test("If a device fetches again after a break and then takes the activity over, the publisher learns that")
        func fetchedAgain() async throws {
            try await World.withPair { anna, berta, clock in
                try await anna.publish("note")
                let first = try await berta.continueOffer(ofType: "note").continuation
                try await breakLinks(anna, berta)
                #expect(await anna.service.counts["unreportedContinuations"] == 1)
                let again = try await berta.continueOffer(ofType: "note").continuation
                clock.advance(by: UnreportedContinuations.grace)
                _ = try await berta.service.ping("anna")
                #expect(!isTold(anna))
                for id in [again, first] {
                    try await berta.service.accept(id, accepted: true, client: Device.app)
                    try await continued(anna)
                }
                #expect(await anna.service.counts["unreportedContinuations"] == 0)
            }
        }

        @Test("If the app on the other device declines, that is reported at once")
        func declined() async throws {
            try await World.withPair(clock: ManualClock()) { anna, berta in
                try await anna.publish("note")
                let id = try await berta.continueOffer(ofType: "note").continuation
                try await berta.service.accept(id, accepted: false, client: Device.app)
                #expect(try await reason(anna).failure == .notTakenThere)
            }
        }

        @Test("An acceptance stays owed while the only connection drains")
        func draining() async throws {
            try await World.withPair(clock: ManualClock()) { anna, berta in
                try await anna.publish("note")
                // The connection stays open while it drains, because the app has not decided.
                _ = try await berta.continueOffer(ofType: "note")
                let link = try #require(await berta.service.peers.links.open.first)
                link.drain(.duplicate)
                #expect(await berta.service.owedAfterTelling(Acceptance(instance: [1]), over: link) == 1)
            }
        }

        @Test("An acceptance that the only connection could not carry is sent over a new one two seconds later")
        func dialledAgain() async throws {
            try await World.withPair { anna, berta, clock in
                try await anna.publish("note")
                _ = try await berta.continueOffer(ofType: "note")
                let link = try #require(await berta.service.peers.links.open.first)
                link.drain(.duplicate)
                #expect(await berta.service.owedAfterTelling(Acceptance(instance: [1]), over: link) == 1)
                clock.advance(by: OwedAcceptances.dialInterval)
                try await berta.until("it is told", after: .logLine, .traceLine) {
                    await berta.service.counts["owedAcceptances"] == 0
                }
            }
        }

        @Test("A device out of range gets the acceptance when it is heard again")
        func heardAgain() async throws {
            try await World.with { world in
                let (anna, berta) = try await world.pair()
                try await anna.publish("note")
                let id = try await berta.continueOffer(ofType: "note").continuation
                var far = AirConditions()
                far.signal = -110
                try world.air.set(far)
                try await breakLinks(anna, berta)
                try await berta.withdrawal(ofType: "note")
                try await berta.service.accept(id, accepted: true, client: Device.app)
                try await berta.until("it is owed", after: .logLine, .traceLine) {
                    await berta.service.counts["owedAcceptances"] == 1
                }
                world.air.clear()
                try await continued(anna)
            }
        }

        @Test("An acceptance for a device that is not heard within two minutes is dropped")
        func neverHeardAgain() async throws {
            try await World.with { world, clock in
                let (anna, berta) = try await world.pair(clock: clock)
                try await anna.publish("note")
                let id = try await berta.continueOffer(ofType: "note").continuation
                var far = AirConditions()
                far.signal = -110
                try world.air.set(far)
                try await breakLinks(anna, berta)
                try await berta.service.accept(id, accepted: true, client: Device.app)
                try await berta.until("it is owed", after: .sleep) {
                    await berta.service.counts["owedAcceptances"] == 1
                }
                clock.advance(by: .seconds(120))
                try await berta.holds(0, of: "owedAcceptances")
            }
        }

        @Test("A member that did not get an activity cannot report that it took the activity over")
        func nobodysAffair() async throws {
            try await World.withPair(clock: ManualClock()) { anna, berta in
                try await anna.publish("note")
                let (link, granted) = try await fetch(berta)
                // This acceptance does not count, because the channel that carried the activity is
                // still open.
                link.tell(granted)
                link.tell(Acceptance(instance: granted.instance))
                link.tell(Acceptance(instance: [UInt8](repeating: 1, count: 16)))
                // The ping's answer follows the acceptance on the same channel.
                _ = try await berta.service.ping("anna")
                #expect(!isTold(anna))
            }
        }
    }
}

extension HandoffService {
    /// Whether a device is dialled again at the end of ``OwedAcceptances/dialInterval``.
    fileprivate var isToRedial: Bool {
        peers.owedAcceptances.deadline.map { $0 <= clock.uptime + OwedAcceptances.dialInterval } ?? false
    }

    fileprivate var earlyAcceptanceCount: Int { peers.all.reduce(0) { $0 + $1.earlyAcceptances.count } }

    /// Returns how many acceptances are owed after one was to be sent over a link.
    fileprivate func owedAfterTelling(_ acceptance: Acceptance, over link: PeerLink) -> Int {
        peers.owedAcceptances.insert(acceptance, to: link.device, at: clock.uptime)
        tellAcceptances(over: link)
        return peers.owedAcceptances.count
    }
}
