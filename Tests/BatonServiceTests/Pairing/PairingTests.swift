// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTesting
import BatonTransport
import Testing

@testable import BatonService
@testable import SimulatedTransport

extension ServiceTests.CircleLane {
    /// Tests daemons that pair over the simulated radio or by an address.
    struct PairingTests {
        static let app = Device.app

        @Test(
            "Two devices without a circle pair by radio: both show the same digits, both users agree, and one circle is founded"
        )
        func pairing() async throws {
            try await World.with { world in
                let (anna, berta) = try await world.strangers()
                let found = try await Device.bothPair(anna, berta)
                #expect(found.one.digits == found.two.digits)
                #expect(await anna.service.circle == nil)
                for device in [anna, berta] { #expect(await device.radio.payload == nil) }
                try await anna.service.confirmPairing(found.one.pairing, same: true, client: Self.app)
                try await berta.service.confirmPairing(found.two.pairing, same: true, client: Self.app)
                async let first: Void = anna.service.paired(found.one.pairing, client: Self.app)
                async let second: Void = berta.service.paired(found.two.pairing, client: Self.app)
                _ = try await (first, second)
                #expect(await anna.memberNames == ["anna", "berta"])
                #expect(await berta.memberNames == ["anna", "berta"])
                for device in [anna, berta] { #expect(await device.radio.payload == nil) }
                try await anna.publish("note")
                _ = try await berta.takeOver("note")
                // The circle is stored.
                await berta.service.stop()
                #expect(try await world.device("berta").memberNames == ["anna", "berta"])
            }
        }

        @Test("The device with a circle takes the other in, whichever side dials", arguments: [0, 1, 2, 3])
        func joinsACircle(round: Int) async throws {
            try await World.with { world in
                let (anna, berta) = try await world.pair()
                let carla = try await world.device("carla")
                // Pair by address, so that each side plays each role.
                _ = (anna, berta)
                let (waiting, dialling) = round % 2 == 0 ? (anna, carla) : (carla, anna)
                try await Device.pairByAddress(waiting: waiting, dialling: dialling)
                #expect(await carla.memberNames == ["anna", "berta", "carla"])
                #expect(await anna.memberNames == ["anna", "berta", "carla"])
                try await berta.knows(["anna", "berta", "carla"])
            }
        }

        @Test("Three daemons that pair one after the other by digits know each other, and one of them can be removed")
        func threePairAndOneIsRemoved() async throws {
            try await World.with { world in
                let anna = try await world.device("anna")
                let berta = try await world.device("berta")
                let carla = try await world.device("carla")
                try await Device.pairByAddress(waiting: anna, dialling: berta)
                // The second device adds the third, and the first learns that from both.
                try await Device.pairByAddress(waiting: carla, dialling: berta)
                let all = ["anna", "berta", "carla"]
                try await anna.knows(all)
                #expect(await berta.memberNames == all)
                #expect(await carla.memberNames == all)
                try await anna.publish("note")
                _ = try await carla.takeOver("note")
                let old = await anna.service.circle?.secret
                // Simultaneous changes on two devices are both kept.
                try await carla.service.rename(to: "Carla")
                _ = try await anna.service.removeDevice("berta")
                for device in [anna, carla] { try await device.knows(["Carla", "anna"]) }
                try await anna.until("one new secret", after: .stateWrite) {
                    let (one, two) = await (anna.service.circle?.secret, carla.service.circle?.secret)
                    return one == two && one != old
                }
                try await anna.publish("after")
                _ = try await carla.takeOver("after")
                let sealed = try #require(await anna.radio.payload)
                #expect(await berta.service.opened(sealed) == nil)
            }
        }

        @Test("Two devices pair by address over TCP")
        func overTCP() async throws {
            try await World.withStrangers(tcp: true) { anna, berta in
                async let first = anna.service.pair(address: nil, client: Self.app)
                try await anna.doorOpens()
                let found = try await berta.service.pair(address: anna.tcpAddress, client: Self.app)
                let mine = try await first
                #expect(mine.digits == found.digits)
                try await anna.service.confirmPairing(mine.pairing, same: true, client: Self.app)
                try await berta.service.confirmPairing(found.pairing, same: true, client: Self.app)
                try await anna.service.paired(mine.pairing, client: Self.app)
                try await berta.service.paired(found.pairing, client: Self.app)
                #expect(await anna.memberNames == ["anna", "berta"])
            }
        }

        @Test(
            "A device that dials this one is accepted, even while this one dials another device that does not answer")
        func addressAfterSearch() async throws {
            try await World.with { world in
                // Anna dials a device that no longer answers. The user of that device (berta) now
                // pairs with anna by address.
                let held = HeldRadio.Gate()
                let anna = try await world.device("anna", tcp: true, wrap: { HeldRadio($0, gate: held) })
                let berta = try await world.device("berta", tcp: true)
                async let first = anna.service.pair(address: nil, client: Self.app)
                try await anna.doorOpens()
                let stale = try #require(PairingAdvert(nonce: [UInt8](repeating: 0xFF, count: 8), psm: 0x80))
                await anna.service.radioEvent(.sighted(Sighting(address: "gone", payload: stale.payload, signal: nil)))
                try await held.dialled()
                let found = try await berta.service.pair(address: anna.tcpAddress, client: Self.app)
                held.fail()
                let mine = try await first
                #expect(mine.digits == found.digits)
                try await anna.service.confirmPairing(mine.pairing, same: true, client: Self.app)
                try await berta.service.confirmPairing(found.pairing, same: true, client: Self.app)
                try await anna.service.paired(mine.pairing, client: Self.app)
                try await berta.service.paired(found.pairing, client: Self.app)
                #expect(await anna.memberNames == ["anna", "berta"])
            }
        }
    }
}

extension Device {
    /// The device's TCP address.
    fileprivate var tcpAddress: (host: String, port: UInt16) {
        get async throws {
            let own = try #require(
                await service.reachability.listeners[.tcp]?.endpoints().first { $0.address == "127.0.0.1" })
            return (own.address, own.port)
        }
    }
}
