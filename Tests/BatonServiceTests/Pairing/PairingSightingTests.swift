// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTesting
import BatonTransport
import SimulatedTransport
import Synchronization
import Testing

@testable import BatonService

/// Pairing where the radio tells of an advertisement once only, as BlueZ does.
extension ServiceTests.CircleLane.PairingTests {
    @Test("Who began to pair before, and was told of once, is found; who begins anew is no third")
    func toldOnce() async throws {
        try await World.with { world in
            let anna = try await world.device("anna")
            func hears(_ nonce: UInt8) async throws {
                let advert = try #require(PairingAdvert(nonce: [UInt8](repeating: nonce, count: 8), psm: 0x80))
                await anna.service.radioEvent(
                    .sighted(Sighting(address: "other", payload: advert.payload, signal: nil)))
            }
            // The lowest nonces: the other one is to dial.
            try await hears(0)
            let pairing = Task { try await anna.service.pair(address: nil, client: Self.app) }
            try await anna.until("the other is found", after: .traceLine) {
                await anna.service.pairingNonces == [0]
            }
            try await hears(1)
            #expect(await anna.service.pairingNonces == [1])
            await anna.service.radioEvent(.lost(address: "other"))
            #expect(await anna.service.counts["pairingSightings"] == 0)
            await anna.service.clientLeft(Self.app)
            await #expect(throws: BatonError.self) { try await pairing.value }
            // Noise fills no memory.
            for number in 0..<100 {
                let advert = try #require(PairingAdvert(nonce: [UInt8](repeating: 9, count: 8), psm: 0x80))
                await anna.service.radioEvent(
                    .sighted(Sighting(address: "\(number)", payload: advert.payload, signal: nil)))
            }
            #expect(await anna.service.counts["pairingSightings"] == 16)
        }
    }

    /// Two devices whose radios hear each advertisement at an address of its own, and never that it
    /// is over; they pair, and one user says no.
    private static func pairInVain(in world: World, clock: ManualClock? = nil) async throws -> (Device, Device) {
        let made = Mutex<[RenamingRadio]>([])
        func device(_ name: String) async throws -> Device {
            try await world.device(name, clock: clock ?? SystemClock()) { radio in
                let renaming = RenamingRadio(radio)
                made.withLock { $0.append(renaming) }
                return renaming
            }
        }
        let (anna, berta) = (try await device("anna"), try await device("berta"))
        async let finding = Device.bothPair(anna, berta)
        if let clock {
            try await anna.until("both have heard each other", after: .radioEvent, .traceLine) {
                let heard = await (anna.service.pairingHeardCount, berta.service.pairingHeardCount)
                return heard == (1, 1)
            }
            clock.advance(by: .seconds(2))
        }
        let found = try await finding
        try await anna.service.confirmPairing(found.one.pairing, same: false, client: app)
        for (device, pairing) in [(anna, found.one.pairing), (berta, found.two.pairing)] {
            await #expect(throws: BatonError.self) { try await device.service.paired(pairing, client: app) }
        }
        let radios = made.withLock(\.self)
        for radio in radios { try await radio.channelsEnd() }
        for device in [anna, berta] { await device.service.forgetFailedPairings() }
        return (anna, berta)
    }

    @Test("With private addresses the advertisement of an earlier run is no third device")
    func earlierRun() async throws {
        try await World.with { world in
            let (anna, berta) = try await Self.pairInVain(in: world)
            // The radio may also hear late what was on the air before.
            let late = try #require(await berta.service.pairingAdvert)
            await anna.service.radioEvent(.sighted(Sighting(address: "late", payload: late.payload, signal: nil)))
            for device in [anna, berta] { #expect(await device.service.counts["pairingSightings"] == 0) }
            let again = try await Device.bothPair(anna, berta)
            #expect(again.one.digits == again.two.digits)
        }
    }

    @Test("Who dials a device that does not pair learns that, and not that somebody broke off")
    func notPairing() async throws {
        try await World.with { world in
            let (anna, berta) = (try await world.device("anna"), try await world.device("berta"))
            // Without anything on the air a radio makes no link.
            try await anna.radio.advertise([0])
            let endpoint = try await anna.door
            let error = await #expect(throws: BatonError.self) {
                _ = try await berta.service.pair(endpoint: endpoint, client: Self.app)
            }
            let message = error?.message ?? ""
            #expect(message.contains("does not pair; run 'baton pair' on it first"), "\(message)")
        }
    }

    @Test("A third device that pairs near here ends also the run after one that came to nothing")
    func crowdAfterEarlierRun() async throws {
        try await World.with { world in
            // No time passes in the second run: whoever is heard alone for two seconds is taken.
            let (anna, berta) = try await Self.pairInVain(in: world, clock: ManualClock())
            let eve = try await world.radio("eve")
            let advert = try #require(PairingAdvert(nonce: [0xFF, 1, 2, 3, 4, 5, 6, 7], psm: 0x80))
            try await eve.advertise(advert.payload)
            for device in [anna, berta] {
                // Without a circle, and while it does not pair, a laptop listens only after
                // somebody asks for offers.
                _ = await device.service.offers()
                try await device.until("eve is heard", after: .radioEvent) {
                    await device.service.counts["pairingSightings"] == 1
                }
            }
            let runs = [anna, berta].map { device in
                Task { try await device.service.pair(address: nil, client: Self.app) }
            }
            for run in runs {
                let error = await #expect(throws: BatonError.self) { _ = try await run.value }
                #expect(error?.message.contains("more than two") == true, "\(String(describing: error))")
            }
        }
    }

    @Test("Only the advertisement of the device that was spoken to is forgotten")
    func othersStay() async throws {
        try await World.with { world in
            // No time passes: whoever is heard alone for two seconds is taken.
            let clock = ManualClock()
            let (anna, berta) = (
                try await world.device("anna", clock: clock), try await world.device("berta", clock: clock)
            )
            let pairing = Task { try await anna.service.pair(address: nil, client: Self.app) }
            try await anna.doorOpens()
            // Anna is to dial this one, but is dialled: by another.
            let advert = try #require(PairingAdvert(nonce: [UInt8](repeating: 0xFF, count: 8), psm: 0x80))
            await anna.service.radioEvent(.sighted(Sighting(address: "other", payload: advert.payload, signal: nil)))
            let endpoint = try await anna.door
            let found = try await berta.service.pair(endpoint: endpoint, client: Self.app)
            let mine = try await pairing.value
            try await berta.service.confirmPairing(found.pairing, same: false, client: Self.app)
            await #expect(throws: BatonError.self) {
                try await anna.service.paired(mine.pairing, client: Self.app)
            }
            #expect(await anna.service.sightings.pairing.all == ["other": advert])
        }
    }
}

extension HandoffService {
    /// The first bytes of the nonces that the pairing under way has heard.
    fileprivate var pairingNonces: [UInt8] { pairings.run?.procedure.sighted.compactMap(\.nonce.first) ?? [] }
    /// What the last pairing was found by.
    fileprivate var pairingAdvert: PairingAdvert? { pairings.run?.procedure.advert }
}
