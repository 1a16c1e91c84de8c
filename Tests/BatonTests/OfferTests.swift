// SPDX-License-Identifier: Apache-2.0

import Baton
import BatonBus
import BatonTesting
import Testing
import UserActivity

@Suite(.timeLimit(.minutes(5))) struct OfferTests {
    private static let offer = OfferSummary(offer: "1", device: "bb", deviceName: "sofa")

    @Test("The present offers come first, then the changes")
    func presentOffersComeFirst() async throws {
        try await FakeDaemon.with { daemon, bus in
            await daemon.appear(Self.offer)
            let connection = try await BatonConnection.open(address: bus.address)
            var events = try await connection.watchOffers().makeAsyncIterator()
            #expect(try await events.next() == .appeared(Self.offer))
            var learnt = Self.offer
            learnt.type = "t"
            await daemon.change(learnt)
            #expect(try await events.next() == .changed(learnt))
            await daemon.disappear("1")
            #expect(try await events.next() == .disappeared(offer: "1"))
            await daemon.leave()
            await #expect(throws: BatonError.self) { _ = try await events.next() }
            await connection.close()
        }
    }

    @Test("Waiting for an offer ends when the wanted type becomes known")
    func waitingEndsWithType() async throws {
        try await FakeDaemon.with { daemon, bus in
            await daemon.appear(Self.offer)
            let connection = try await BatonConnection.open(address: bus.address)
            let waiting = Task {
                try await connection.waitForOffer(timeout: .seconds(50)) { offers in offers.first { $0.type == "t" } }
            }
            var learnt = Self.offer
            learnt.type = "t"
            await daemon.change(learnt)
            #expect(try await waiting.value == learnt)
            #expect(try await connection.waitForOffer(timeout: .zero) { $0.first { $0.type == "u" } } == nil)
            #expect(try await connection.waitForOffer(timeout: .milliseconds(1)) { $0.first { $0.type == "u" } } == nil)
            await connection.close()
        }
    }

    @Test("The daemon gets an app's pending changes before the app's acceptance")
    func acceptingComesAfterChanges() async throws {
        try await FakeDaemon.with { daemon, bus in
            await daemon.appear(Self.offer, activity: ActivityState(activityType: "t"))
            let connection = try await BatonConnection.open(address: bus.address)
            var calls = daemon.calls.makeAsyncIterator()
            let activity = UserActivity(activityType: "t", host: connection)
            activity.becomeCurrent()
            while try await calls.required() != .becameCurrent("a1") {}
            for number in 0..<100 {
                let continuation = try await connection.continueOffer("1")
                activity.title = String(number)
                activity.needsSave = true
                try await continuation.accept()
                var told: [FakeDaemon.Call] = []
                while told.last != .accepted("c1", true) { told.append(try await calls.required()) }
                let titles = told.compactMap { if case .updated("a1", let state, _) = $0 { state.title } else { nil } }
                #expect(titles.last == String(number))
            }
            // An acceptance after the connection was closed fails at once.
            let continuation = try await connection.continueOffer("1")
            await connection.close()
            await #expect(throws: BatonError.self) { try await continuation.accept() }
            withExtendedLifetime(activity) {}
        }
    }

    @Test("Contents that no activity may have are rejected when an offer is continued")
    func impossibleContentsRefused() async throws {
        try await FakeDaemon.withConnection { daemon, connection in
            await daemon.appear(
                Self.offer, activity: ActivityState(activityType: String(repeating: "x", count: 256)))
            await #expect(throws: (any Error).self) { try await connection.continueOffer("1") }
        }
    }
}
