// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport
import Testing

@testable import BatonService

/// Tests ``Sightings`` alone.
struct SightingsTests {
    private let anna = DeviceIdentity()
    private let berta = DeviceIdentity()
    private let now = BeaconAdvertiser.Moment(unixTime: 1_800_000_000, uptime: .seconds(1_000))
    private var state: DeviceState
    private var subject: Sightings

    init() throws {
        var circle = try Circle(foundedBy: anna, name: "anna")
        try circle.add(JoinRequest(berta, name: "berta", circle: circle.id), by: anna)
        state = DeviceState(identity: anna, name: "anna")
        state.circle = circle
        subject = Sightings(own: anna.id.short)
    }

    /// Returns the beacon of a device, sealed with a circle's secret.
    private func beacon(of device: DeviceIdentity, _ secret: CircleSecret) -> [UInt8] {
        var cipher = BeaconCipher(secret: secret)
        let beacon = Beacon(device: device.id.short, activity: .none, flags: [], sequence: 1, psm: 0x80)
        return cipher.seal(beacon, at: now.unixTime)
    }

    private mutating func hear(_ payload: [UInt8], at address: String = "a") -> Sightings.Heard {
        var keys = BeaconKeys()
        _ = keys.adopt(state.circle?.secret, at: .zero)
        let sighting = Sighting(address: address, payload: payload, signal: -50)
        return subject.heard(sighting, keys.open(sighting.payload, at: 1_800_000_000), state, at: now)
    }

    @Test("Only a member's beacon counts, and a beacon that a member may have sent waits for the search for clocks")
    mutating func beacons() throws {
        let secret = try #require(state.circle).secret
        guard case .beacon(let opened, let device) = hear(beacon(of: berta, secret)) else {
            Issue.record("the beacon of a member was not recognised")
            return
        }
        #expect(device == berta.id && opened.beacon.device == berta.id.short)
        #expect(subject.clockSearch.unopened.isEmpty)
        for (payload, address) in [
            (beacon(of: DeviceIdentity(), secret), "b"), (beacon(of: berta, CircleSecret()), "c"),
        ] {
            let heard = hear(payload, at: address)
            #expect(heard == .unopened && subject.clockSearch.unopened[address] == payload)
        }
    }

    @Test("Unknown advertisers are remembered only without a circle, and no advertisement stays that is lost")
    mutating func strangers() throws {
        let (noise, advert) = (
            beacon(of: berta, CircleSecret()), try #require(PairingAdvert(nonce: [UInt8](1...8), psm: 1))
        )
        _ = hear(noise)
        #expect(subject.strangers.count == 0)
        state.circle = nil
        _ = hear(noise)
        #expect(subject.strangers.count == 1)
        let heard = hear(advert.payload, at: "b")
        #expect(heard == .pairing(advert) && subject.pairing.all == ["b": advert])
        for address in ["a", "b"] { subject.lost(address) }
        #expect(subject.counts.values.allSatisfy { $0 == 0 })
    }
}
