// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTesting
import SimulatedTransport
import Testing

@testable import BatonService

extension ServiceTests {
    /// What is begun again and again leaves nothing that sleeps until its time is over.
    struct RepetitionTests {
        private static let times = 2_000

        @Test("Continuations that are declined, again and again, leave nothing behind; one alarm is enough for all")
        func continuations() async throws {
            let clock = ManualClock()
            try await World.with { world in
                let (anna, berta) = try await world.pair(clock: clock)
                try await anna.publish("note")
                let offer = try await berta.offer(ofType: "note")
                let kept = try await berta.service.continueOffer(offer.id, timeout: nil, client: Device.app)
                let before = await berta.service.counts["tasks"] ?? .max
                for _ in 0..<Self.times {
                    let continued = try await berta.service.continueOffer(offer.id, timeout: nil, client: Device.app)
                    try await berta.service.accept(continued.id, accepted: false, client: Device.app)
                }
                #expect(await berta.service.counts["continuations"] == 1)
                try await eventually("nothing is under way") {
                    await berta.service.counts["tasks"] ?? .max <= before && clock.sleeperCount < 40
                }
                try await berta.service.accept(kept.id, accepted: false, client: Device.app)
            }
        }

        @Test("Invitations that give way to newer ones leave nothing behind; each ends in its time")
        func invitations() async throws {
            let clock = ManualClock()
            try await World.with { world in
                let anna = try await world.device("anna", clock: clock)
                try await anna.service.createCircle(name: "")
                for _ in 0..<Self.times { _ = try await anna.service.invite() }
                #expect(await anna.service.counts["invitations"] == OpenInvitations.maximumCount)
                try await eventually("nothing sleeps") { clock.sleeperCount < 20 }
                clock.advance(by: .seconds(300))
                _ = try await anna.service.invite()
                clock.advance(by: .seconds(300))
                try await eventually("the older are over") { await anna.service.counts["invitations"] == 1 }
                clock.advance(by: .seconds(300))
                try await eventually("the last is over") { await anna.service.counts["invitations"] == 0 }
            }
        }

        @Test("Who does not wait for a dial leaves nothing behind, however long that takes")
        func impatience() async throws {
            let clock = ManualClock()
            try await World.with { world in
                let (anna, berta) = try await world.pair(clock: clock)
                try await anna.publish("note")
                let offer = try await berta.offer(ofType: "note")
                try await eventually("no link is left") {
                    await berta.service.breakLinks()
                    return await berta.service.links.open.isEmpty
                }
                var slow = AirConditions()
                slow.channelDelay = 60_000
                try world.air.set(slow)
                for _ in 0..<Self.times {
                    let error = await #expect(throws: ServiceError.self) {
                        try await berta.service.continueOffer(offer.id, timeout: .zero, client: Device.app)
                    }
                    #expect(error?.code == .connectionUnavailable)
                }
                let counts = await berta.service.counts
                #expect(counts["dials"] ?? 0 <= 1 && counts["dialWaiters"] == 0 && counts["fetches"] == 0)
                #expect(counts["tasks"] ?? .max < 20)
                world.air.clear()
            }
        }

        @Test("An app has 32 continuations, with all its connections; the others and batond continue all the same")
        func continuationLimitOfAnApp() async throws {
            let clock = ManualClock()
            try await World.with { world in
                let (anna, berta) = try await world.pair(clock: clock)
                try await anna.publish("note")
                let offer = try await berta.offer(ofType: "note")
                func takeOver(_ connection: Int, account: String?) async throws {
                    let client = ClientID(":2.\(connection)")
                    let continued = try await berta.service.continueOffer(
                        offer.id, timeout: nil, client: client, account: account)
                    try await berta.service.accept(continued.id, accepted: true, client: client)
                }
                for number in 0..<31 { try await takeOver(number, account: "org.example.App") }
                // What it is handed counts too.
                let daemon = ClientID(":1.0")
                let handed = try await berta.service.continueOffer(offer.id, timeout: nil, client: daemon)
                try await berta.service.transfer(
                    handed.id, from: daemon, to: ClientID(":2.0"), account: "org.example.App")
                let error = await #expect(throws: ServiceError.self) {
                    try await takeOver(50, account: "org.example.App")
                }
                #expect(error?.code == .limitReached)
                _ = try await berta.service.continueOffer(offer.id, timeout: nil, client: daemon)
                try await takeOver(50, account: "org.example.Other")
                await berta.service.clientLeft(ClientID(":2.1"))
                try await takeOver(50, account: "org.example.App")
            }
        }

        @Test("256 continuations of all programs together may be open; they end with their programs")
        func continuationLimit() async throws {
            let clock = ManualClock()
            try await World.with { world in
                let (anna, berta) = try await world.pair(clock: clock)
                try await anna.publish("note")
                let offer = try await berta.offer(ofType: "note")
                let clients = (0..<16).map { ClientID(":2.\($0)") }
                for client in clients {
                    for _ in 0..<16 {
                        let continued = try await berta.service.continueOffer(offer.id, timeout: nil, client: client)
                        try await berta.service.accept(continued.id, accepted: true, client: client)
                    }
                }
                let error = await #expect(throws: ServiceError.self) {
                    try await berta.service.continueOffer(offer.id, timeout: nil, client: Device.app)
                }
                #expect(error?.code == .limitReached)
                await berta.service.clientLeft(clients[0])
                _ = try await berta.service.continueOffer(offer.id, timeout: nil, client: Device.app)
                clock.advance(by: ContinuationLimits.acceptance)
                try await eventually("all are over") { await berta.service.counts["continuations"] == 0 }
            }
        }
    }
}
