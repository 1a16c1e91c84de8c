// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTesting
import BatonTransport
import SimulatedTransport
import Testing

@testable import BatonService

extension ServiceTests.PeerLane {
    struct VanishingTests {
        @Test(
            "A device that vanishes while its app is being asked is reported as out of reach, and its app gets no event"
        )
        func whileAsked() async throws {
            try await World.withPair(clock: ManualClock()) { anna, berta in
                try await anna.publish("note", needsSave: true)
                let continued = Task { try await berta.continueOffer(ofType: "note") }
                _ = try await anna.next("willSave") { event -> Bool? in
                    if case .willSave = event { true } else { nil }
                }
                let door = try #require(await anna.service.reachability.listeners[.simulated]?.endpoints().first)
                await anna.radio.stop()
                await berta.radio.disconnect(door)
                let error = await #expect(throws: BatonError.self) { _ = try await continued.value }
                #expect(error?.code == .connectionUnavailable)
                #expect(await berta.service.counts["continuations"] == 0)
                #expect(!anna.untaken.contains { if case .wasContinued = $0 { true } else { false } })
            }
        }

        @Test("An offer that the service handles only after the end of its link is not kept")
        func offerOfAnEndedLink() async throws {
            try await World.withPair(clock: ManualClock()) { _, berta in
                _ = try await berta.service.ping("anna")
                let link = try #require(await berta.service.peers.links.open.first)
                link.drain(.idle)
                try await berta.linksEnd()
                let hash = try #require(ActivityHash(bytes: [1, 2, 3, 4, 5]))
                await berta.service.link(link, offers: LinkOffer(sequence: 1, activity: hash.bytes))
                #expect(await berta.service.sightings.linkOffers.count == 0)
                #expect(await berta.service.offers().isEmpty)
            }
        }
    }
}
