// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTesting
import BatonTransport
import Diagnosis
import SimulatedTransport
import Synchronization
import Testing

@testable import BatonService

/// Tests pairing with radios that report an advertisement only once, as BlueZ does.
extension ServiceTests.CircleLane.PairingTests {
    @Test(
        "A device that began to pair earlier and was reported once is found, and does not count as a third when it restarts"
    )
    func toldOnce() async throws {
        try await World.withDevice { anna in
            func hears(_ nonce: UInt8) async throws {
                let advert = try #require(PairingAdvert(nonce: [UInt8](repeating: nonce, count: 8), psm: 0x80))
                await anna.service.radioEvent(
                    .sighted(Sighting(address: "other", payload: advert.payload, signal: nil)))
            }
            // Anna has the lowest nonce, so the other device must dial.
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
            // Many advertisements from strangers do not fill memory.
            for number in 0..<100 {
                let advert = try #require(PairingAdvert(nonce: [UInt8](repeating: 9, count: 8), psm: 0x80))
                await anna.service.radioEvent(
                    .sighted(Sighting(address: "\(number)", payload: advert.payload, signal: nil)))
            }
            #expect(await anna.service.counts["pairingSightings"] == 16)
        }
    }

    /// Makes two devices pair until one user refuses. Their radios report each advertisement at a
    /// new address, and never report its end.
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

    @Test("With private addresses, the advertisement of an earlier pairing does not count as a third device")
    func earlierRun() async throws {
        try await World.with { world in
            let (anna, berta) = try await Self.pairInVain(in: world)
            // The radio may also hear an earlier advertisement late.
            let late = try #require(await berta.service.pairingAdvert)
            await anna.service.radioEvent(.sighted(Sighting(address: "late", payload: late.payload, signal: nil)))
            for device in [anna, berta] { #expect(await device.service.counts["pairingSightings"] == 0) }
            let again = try await Device.bothPair(anna, berta)
            #expect(again.one.digits == again.two.digits)
        }
    }

    @Test("A device that dials a device that is not pairing reports that, and not a broken connection")
    func notPairing() async throws {
        try await World.withStrangers { anna, berta in
            // A radio can be dialled only while it advertises something.
            try await anna.radio.advertise([0])
            let endpoint = try await anna.door
            let error = await #expect(throws: BatonError.self) {
                _ = try await berta.service.pair(endpoint: endpoint, client: Self.app)
            }
            #expect(error?.reason?.failure == .notPairing)
        }
    }

    @Test("A third device that pairs nearby also ends a pairing that follows a failed one")
    func crowdAfterEarlierRun() async throws {
        try await World.with { world in
            // The clock stands still in the second pairing, because a device that is heard alone
            // for two seconds would be chosen.
            let (anna, berta) = try await Self.pairInVain(in: world, clock: ManualClock())
            let eve = try await world.radio("eve")
            let advert = try #require(PairingAdvert(nonce: [0xFF, 1, 2, 3, 4, 5, 6, 7], psm: 0x80))
            try await eve.advertise(advert.payload)
            for device in [anna, berta] {
                // Without a circle, a laptop that does not pair listens only after a person
                // looks for offers.
                await device.service.look()
                try await device.until("eve is heard", after: .radioEvent) {
                    await device.service.counts["pairingSightings"] == 1
                }
            }
            let runs = [anna, berta].map { device in
                Task { try await device.service.pair(address: nil, client: Self.app) }
            }
            for run in runs {
                let error = await #expect(throws: BatonError.self) { _ = try await run.value }
                #expect(error?.reason?.failure == .tooManyPairing, "\(String(describing: error))")
            }
        }
    }

    @Test("After a pairing, only the advertisement of the other device is ignored")
    func othersStay() async throws {
        try await World.with { world in
            // The clock stands still, because a device that is heard alone for two seconds would be
            // chosen.
            let clock = ManualClock()
            let (anna, berta) = try await world.strangers(clock: clock)
            let pairing = Task { try await anna.service.pair(address: nil, client: Self.app) }
            try await anna.doorOpens()
            // Anna should dial this device, but another device dials anna.
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
    /// The first bytes of the nonces that the running pairing has heard.
    fileprivate var pairingNonces: [UInt8] { pairings.run?.procedure.sighted.compactMap(\.nonce.first) ?? [] }
    /// The advertisement of the last pairing.
    fileprivate var pairingAdvert: PairingAdvert? { pairings.run?.procedure.advert }
}
