// SPDX-License-Identifier: Apache-2.0

import Baton
import BatonBus
import BatonTesting
import Testing
import UserActivity

@Suite(.timeLimit(.minutes(5))) struct OfferTests {
    private static let offer = OfferSummary(offer: "1", device: "bb", deviceName: "sofa")

    @Test func presentOffersComeFirstThenTheChanges() async throws {
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
            await #expect(throws: BatonBusError.self) { _ = try await events.next() }
            await connection.close()
        }
    }

    @Test func waitingEndsWhenAnOfferLearnsItsType() async throws {
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

    @Test func whatNoActivityMayHaveIsRefused() async throws {
        try await FakeDaemon.with { daemon, bus in
            await daemon.appear(
                Self.offer, activity: ActivityState(activityType: String(repeating: "x", count: 256)))
            let connection = try await BatonConnection.open(address: bus.address)
            await #expect(throws: (any Error).self) { try await connection.continueOffer("1") }
            await connection.close()
        }
    }
}
