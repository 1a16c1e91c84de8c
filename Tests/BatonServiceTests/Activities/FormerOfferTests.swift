// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTesting
import Testing

@testable import BatonService

extension ServiceTests.HandoverLane {
    /// Tests hand-overs while the circle gets a new secret.
    struct FormerOfferTests {
        @Test("For a minute after the secret has changed, only an offer from before the change can be handed over")
        func secretChanges() async throws {
            try await World.with { world, clock in
                let (anna, berta) = try await world.pair(tcp: true, clock: clock)
                let carla = try await world.device("carla", clock: clock)
                try await carla.service.joinCircle(anna.service.invite().text)
                let activity = try await anna.publish("org.example.draw")
                let offered = try await berta.offer(ofType: "org.example.draw")
                let before = try #require(await berta.service.activityHash(of: offered.offer))
                _ = try await anna.service.removeDevice("carla")
                let link = try await berta.service.link(to: anna.service.identity.id)
                // Asks with the hash that the other device saw before the change.
                func ask(_ activity: [UInt8] = before.bytes) async throws {
                    let (request, _) = try await link.continueActivity(activity, timeout: .seconds(30))
                    link.report(request, accepted: true)
                }
                try await ask()
                await #expect(throws: HandoffError.self) { try await ask(before.bytes.map { ~$0 }) }
                try await anna.service.resignCurrent(activity, client: Device.app)
                try await anna.publish("org.example.other")
                await #expect(throws: HandoffError.self) { try await ask() }
                try await anna.service.becomeCurrent(activity, client: Device.app)
                try await ask()
                // Another activity of the same type has the same hash, because an offer means the
                // current activity of its type.
                try await anna.service.invalidate(activity, client: Device.app)
                try await anna.publish("org.example.draw")
                try await ask()
                clock.advance(by: FormerHashers.lifetime)
                await #expect(throws: HandoffError.self) { try await ask() }
            }
        }
    }
}

extension HandoffService {
    fileprivate func activityHash(of offer: String) -> ActivityHash? {
        sightings.book.offers.first { $0.id == offer }?.activity
    }
}
