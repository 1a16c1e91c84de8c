// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTesting
import SimulatedTransport
import Testing

@testable import BatonService

extension ServiceTests.PeerLane {
    /// Tests that repeated operations leave no sleeping tasks behind.
    struct RepetitionTests {
        private static let times = 2_000

        @Test("Repeatedly declined continuations leave nothing behind, and one alarm serves all of them")
        func continuations() async throws {
            try await World.withPair { anna, berta, clock in
                try await anna.publish("note")
                let offer = try await berta.offer(ofType: "note")
                let kept = try await berta.service.continueOffer(offer.offer, timeout: nil, client: Device.app)
                let before = await berta.service.counts["tasks"] ?? .max
                for _ in 0..<Self.times {
                    let continued = try await berta.service.continueOffer(offer.offer, timeout: nil, client: Device.app)
                    try await berta.service.accept(continued.continuation, accepted: false, client: Device.app)
                }
                #expect(await berta.service.counts["continuations"] == 1)
                try await eventually("nothing is under way") {
                    await berta.service.counts["tasks"] ?? .max <= before && clock.sleeperCount < 40
                }
                try await berta.service.accept(kept.continuation, accepted: false, client: Device.app)
            }
        }

        @Test("Replaced invitations leave nothing behind, and each invitation expires at its own time")
        func invitations() async throws {
            try await World.withDevice { anna, clock in
                try await anna.service.createCircle(name: "")
                for _ in 0..<Self.times { _ = try await anna.service.invite() }
                #expect(await anna.service.counts["invitations"] == OpenInvitations.maximumCount)
                await clock.waitForMoments { $0.count < 20 }
                clock.advance(by: .seconds(300))
                _ = try await anna.service.invite()
                clock.advance(by: .seconds(300))
                try await anna.until("the older are over", after: .sleep) {
                    await anna.service.counts["invitations"] == 1
                }
                clock.advance(by: .seconds(300))
                try await anna.until("the last is over", after: .sleep, .traceLine) {
                    await anna.service.counts["invitations"] == 0
                }
            }
        }

        @Test(
            "Callers that stop waiting for a dial leave nothing behind, however long the dial takes, and the dial continues"
        )
        func impatience() async throws {
            try await World.with { world in
                let (berta, radio, offer) = try await SilenceTests.unlinked(in: world, ManualClock())
                radio.mute()
                for _ in 0..<Self.times {
                    let error = await #expect(throws: BatonError.self) {
                        try await berta.service.continueOffer(offer.offer, timeout: .zero, client: Device.app)
                    }
                    #expect(error?.code == .connectionUnavailable)
                }
                let counts = await berta.service.counts
                #expect(counts["dials"] == 1 && counts["dialWaiters"] == 0 && counts["fetches"] == 0)
                #expect(counts["tasks"] ?? .max < 20)
                let device = try await berta.service.other(called: "anna").0
                let dial = await berta.service.peers.dials[.init(device: device, route: .any)]
                #expect(dial?.task.isCancelled == false)
            }
        }

        @Test(
            "Accepted continuations do not block new ones, and 32 per program and 256 in total stay until the program ends"
        )
        func acceptedContinuations() async throws {
            try await World.withPair { anna, berta, clock in
                try await anna.publish("note")
                let offer = try await berta.offer(ofType: "note")
                func takeOver(_ client: ClientID, account: String? = nil) async throws {
                    let continued = try await berta.service.continueOffer(
                        offer.offer, timeout: nil, client: client, account: account)
                    try await berta.service.accept(continued.continuation, accepted: true, client: client)
                }
                for number in 0..<40 {
                    try await takeOver(ClientID(rawValue: ":2.\(number)"), account: "org.example.App")
                }
                #expect(await berta.service.counts["continuations"] == 32)
                let clients = (0..<14).map { ClientID(rawValue: ":3.\($0)") }
                for client in clients { for _ in 0..<17 { try await takeOver(client) } }
                #expect(await berta.service.counts["continuations"] == 256)
                await berta.service.clientLeft(clients[13])
                #expect(await berta.service.counts["continuations"] ?? .max < 256)
                _ = try await berta.service.continueOffer(offer.offer, timeout: nil, client: Device.app)
                clock.advance(by: ContinuationLimits.acceptance)
                try await berta.holds(0, of: "continuations")
            }
        }
    }
}
