// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTesting
import BatonTransport
import Testing

@testable import BatonService

extension ServiceTests.PeerLane {
    /// Tests advertisements that were heard before they could be opened. The radios report each
    /// advertisement only once.
    struct HeardBeforeTests {
        @Test(
            "An activity that was on the air before a device joined is offered after the device has joined",
            arguments: [false, true])
        func joining(leavesFirst: Bool) async throws {
            try await World.with { world in
                // The clock stands still, so that the next epoch with other bytes never comes.
                let clock = ManualClock()
                let anna = try await world.device("anna", clock: clock)
                try await anna.service.createCircle(name: "")
                try await anna.publish("org.example.note")
                let carla = try await world.device("carla", clock: clock, wrap: TerseRadio.init)
                if leavesFirst { try await carla.service.createCircle(name: "") }
                // Without a circle, the device listens when a person looks for offers.
                await carla.service.look()
                try await carla.hears(anna)
                if leavesFirst { _ = try await carla.service.leaveCircle() }
                try await carla.service.joinCircle(anna.service.invite().text)
                _ = try await carla.offer(ofType: "org.example.note")
            }
        }

        @Test("A new member's advertisement is offered once this device knows the member")
        func newMember() async throws {
            try await World.with { world, clock in
                let berta = try await world.device("berta", clock: clock)
                let anna = try await world.device("anna", clock: clock, wrap: TerseRadio.init)
                try await berta.makeCircle(with: anna)
                let circle = try #require(await anna.service.circle)
                var grown = circle
                let carla = DeviceIdentity()
                try grown.add(JoinRequest(carla, name: "carla", circle: grown.id), by: await berta.service.identity)
                // Carla's beacon offers an activity before anna knows carla.
                var cipher = BeaconCipher(secret: circle.secret)
                let beacon = Beacon(
                    device: carla.id.short, activity: ActivityHash(bytes: [1, 2, 3, 4, 5]) ?? .none, flags: [],
                    sequence: 1, psm: 0x80)
                let sighting = Sighting(
                    address: "carla", payload: cipher.seal(beacon, at: clock.unixTime), signal: nil)
                await anna.service.radioEvent(.sighted(sighting))
                #expect(await anna.service.sightings.book.heard(carla.id.short).isEmpty)
                _ = try await berta.service.invite()
                let bertaID = await berta.identityID
                try await anna.hearsBeacon(of: berta)
                _ = try await anna.service.link(to: bertaID)
                try await anna.service.mergeCircle(grown.encoded(), from: bertaID)
                #expect(await !anna.service.sightings.book.heard(carla.id.short).isEmpty)
            }
        }
    }
}

extension Device {
    /// Waits until another device's present advertisement was heard here without being opened.
    fileprivate func hears(_ other: Device) async throws {
        try await until("what the other device advertises was heard", after: .radioEvent, .traceLine) {
            let onAir = await other.service.advertising.slot.ordinary
            return await service.sightings.clockSearch.unopened.values.contains { $0 == onAir }
        }
    }
}
