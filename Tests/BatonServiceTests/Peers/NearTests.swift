// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTesting
import Diagnosis
import Foundation
import BatonTransport
import SimulatedTransport
import Testing

@testable import BatonService

extension ServiceTests.PeerLane {
    /// Tests that continuations that begin because a device comes near use the radio on which the
    /// device is heard (Decisions/0038-near-rules-ask-over-the-radio.md).
    struct NearTests {
        @Test(
            "A near device is reported with its transports, and a device that left with the time when it was last seen")
        func presence() async throws {
            try await World.withPair { anna, berta in
                for device in [anna, berta] {
                    #expect(await device.service.members.allSatisfy { $0.isThisDevice || $0.lastSeen != nil })
                }
                try await berta.publish("t")
                _ = try await anna.offer(ofType: "t")
                let near = try #require(await anna.service.members.first { !$0.isThisDevice })
                #expect(near.isNear && near.lastSeen != nil)
                try await anna.until("the link", after: .traceLine) {
                    await anna.service.members.contains { $0.transports == ["simulated"] }
                }
                let before = anna.service.clock.unixTime
                await berta.service.stop()
                await berta.radio.stop()
                try await anna.until("the end of berta", after: .radioEvent, .traceLine) {
                    await anna.service.members.contains { !$0.isThisDevice && !$0.isNear && $0.transports.isEmpty }
                }
                let gone = try #require(await anna.service.members.first { !$0.isThisDevice })
                #expect(try #require(gone.lastSeen) >= Date(timeIntervalSince1970: TimeInterval(before)))
                _ = try await anna.service.removeDevice("berta")
                #expect(await anna.service.counts["peers"] == 0)
            }
        }

        private static let signal = -68

        /// Returns two devices with TCP between them. One of them offers a note.
        private static func pair(
            in world: World, clock: any DeviceClock = ManualClock(), needsSave: Bool = false
        ) async throws -> (anna: Device, berta: Device, activity: String, offer: OfferSummary) {
            let (anna, berta) = try await world.pair(tcp: true, clock: clock)
            let activity = try await anna.publish("note", needsSave: needsSave)
            let offer = try await berta.offer(ofType: "note")
            _ = try await berta.service.link(to: anna.identityID)
            // Berta knows anna's TCP address.
            try #require(await berta.service.endpoints(of: anna.identityID).contains { $0.transport == .tcp })
            return (anna, berta, activity, offer)
        }

        private static func leaveTCPAlone(_ device: Device, _ other: Device) async throws {
            try await device.until("TCP alone is left", after: .traceLine) {
                // Close the links repeatedly, because a running dial may still open a link by
                // radio.
                for link in await device.service.peers.links.open where link.channel.transport == .simulated {
                    link.channel.close()
                }
                _ = try? await device.service.link(to: other.identityID)
                return await device.transports == ["tcp"]
            }
        }

        /// Moves the two devices out of each other's range, and has an attacker without keys replay
        /// anna's advertisements near berta.
        private static func replay(in world: World, of anna: Device, to berta: Device) async throws -> Attacker {
            let attacker = try await world.attacker()
            let recorded = try await attacker.recordCurrent(anna)
            var far = AirConditions()
            far.paths = [AirConditions.Path(from: "anna", to: "berta", signal: -120)]
            try world.air.set(far)
            try await berta.until("anna is out of range", after: .radioEvent) {
                await !berta.service.isHeard(anna, at: "anna")
            }
            try await attacker.radio.advertise(recorded)
            try await berta.until("berta hears the replay", after: .radioEvent) {
                await berta.service.isHeard(anna, at: "mallory")
            }
            return attacker
        }

        @Test(
            "A replayed beacon makes a rule fetch nothing from a far device, because only the user's requests may use TCP"
        )
        func replayedNearBy() async throws {
            try await World.with { world in
                let (anna, berta, _, _) = try await Self.pair(in: world)
                try await Self.leaveTCPAlone(berta, anna)
                _ = try await Self.replay(in: world, of: anna, to: berta)
                let offer = try await berta.offer(ofType: "note")
                #expect(offer.signal == -50)
                let unreached = await #expect(throws: BatonError.self) {
                    try await berta.service.reach(offer.offer, near: Self.signal)
                }
                #expect(unreached?.code == .connectionUnavailable)
                let refused = await #expect(throws: BatonError.self) {
                    try await berta.service.continueOffer(
                        offer.offer, timeout: nil, client: Device.app, near: Self.signal)
                }
                #expect(refused?.code == .connectionUnavailable)
                #expect(await berta.transports == ["tcp"])
                #expect(try await berta.takeOver("note").transport == "tcp")
            }
        }

        @Test(
            "A near device is asked over the radio despite other links, gets the report over the radio, and no channel drains"
        )
        func besideTCP() async throws {
            try await World.with { world in
                let (anna, berta, _, offer) = try await Self.pair(in: world)
                try await Self.leaveTCPAlone(berta, anna)
                try await berta.service.reach(offer.offer, near: Self.signal)
                #expect(await berta.transports == ["simulated", "tcp"])
                let continued = try await berta.service.continueOffer(
                    offer.offer, timeout: nil, client: Device.app, near: Self.signal)
                #expect(continued.transport == "simulated")
                try await berta.service.accept(continued.continuation, accepted: true, client: Device.app)
                _ = try await anna.next("the report") { if case .wasContinued = $0 { true } else { nil } }
                for device in [anna, berta] {
                    #expect(await device.transports == ["simulated", "tcp"])
                    for link in await device.service.peers.links.open { #expect(link.acceptsRequests) }
                }
            }
        }

        @Test("A link that ends before the answer is replaced by another over the radio")
        func radioLinkEnds() async throws {
            try await World.with { world in
                let (anna, berta, activity, offer) = try await Self.pair(in: world, needsSave: true)
                try await Self.leaveTCPAlone(berta, anna)
                let continued = Task {
                    try await berta.service.continueOffer(
                        offer.offer, timeout: nil, client: Device.app, near: Self.signal)
                }
                let isAsked: (ClientEvent) -> Bool? = { if case .willSave = $0 { true } else { nil } }
                _ = try await anna.next("willSave", isAsked)
                // The link by TCP must not be used for a rule.
                #expect(await berta.transports == ["simulated", "tcp"])
                for link in await berta.service.peers.links.open where link.channel.transport == .simulated {
                    link.channel.close()
                }
                // Anna's app was already asked, and has no newer contents after its answer.
                try await anna.holds(2, of: "savesAwaited")
                try await anna.service.update(activity, needsSave: false, client: Device.app) { $0 }
                #expect(try await continued.value.transport == "simulated")
            }
        }

        @Test("A device with too weak a signal is not dialled for a rule")
        func tooWeak() async throws {
            try await World.with { world in
                let (anna, berta, _, offer) = try await Self.pair(in: world)
                try await Device.endLinks(of: berta)
                let error = await #expect(throws: BatonError.self) {
                    try await berta.service.reach(offer.offer, near: -49)
                }
                #expect(error?.message.contains("not near") == true)
                try await berta.service.reach(offer.offer, near: -50)
                #expect(await anna.transports.contains("simulated"))
            }
        }

        @Test("A radio channel to an address with a weak signal does not make the device near")
        func linkedFromAfar() async throws {
            try await World.with { world in
                let (anna, berta) = try await world.pair(clock: ManualClock())
                try await anna.publish("note")
                let attacker = try await world.attacker()
                let recorded = try await attacker.recordCurrent(anna)
                var air = AirConditions()
                air.paths = [AirConditions.Path(from: "anna", to: "berta", signal: -90)]
                try world.air.set(air)
                let offer = try await berta.offer(ofType: "note")
                try await berta.until("anna is heard from afar", after: .radioEvent) {
                    let short = await anna.identityID.short
                    return await berta.service.sightings.book.heard(short).first?.signal == -90
                }
                _ = try await berta.service.link(to: anna.identityID)
                #expect(await berta.transports == ["simulated"])
                try await attacker.radio.advertise(recorded)
                try await berta.until("berta hears the replay", after: .radioEvent) {
                    await berta.service.isHeard(anna, at: "mallory")
                }
                await #expect(throws: BatonError.self) {
                    try await berta.service.reach(offer.offer, near: Self.signal)
                }
                try await berta.service.reach(offer.offer, near: -90)
            }
        }

        @Test(
            "Replays make a rule dial at most seven times in ten minutes, and a real device is reached within another ten"
        )
        func boundedDials() async throws {
            try await World.with { world, clock in
                let (anna, berta, _, offer) = try await Self.pair(in: world, clock: clock)
                try await Device.endLinks(of: berta)
                let attacker = try await Self.replay(in: world, of: anna, to: berta)
                var dials = 0
                for _ in 0..<600 {
                    let error = await #expect(throws: BatonError.self) {
                        try await berta.service.reach(offer.offer, near: Self.signal)
                    }
                    if error?.reason?.failure != .recentlyUnreached { dials += 1 }
                    clock.advance(by: .seconds(1))
                }
                #expect((1...7).contains(dials), "\(dials)")
                try await attacker.radio.advertise(nil)
                world.air.clear()
                clock.advance(by: DialPace.longestPause)
                try await berta.hearsBeacon(of: anna)
                let back = try await berta.offer(ofType: "note")
                try await berta.until("the replay is heard no more", after: .radioEvent) {
                    await !berta.service.isHeard(anna, at: "mallory")
                }
                try await berta.service.reach(back.offer, near: Self.signal)
            }
        }
    }
}
