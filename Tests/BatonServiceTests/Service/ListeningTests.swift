// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonProtocol
import BatonTesting
import BatonTransport
import HostAddresses
import LocalNetworks
import Logging
import Testing

@testable import BatonService

extension ServiceTests.PeerLane {
    struct ListeningTests {
        @Test("The radio listens while there is a circle")
        func circle() async throws {
            try await World.withSwitchedRadio { service, radio, _ in
                #expect(radio.listening.value == .never)
                try await service.createCircle(name: "")
                try await radio.listens(.usually)
                _ = try await service.leaveCircle()
                try await radio.listens(.never)
            }
        }

        @Test(
            "A pause or another user stops listening, and the user's return or a look for offers starts it for 20 s")
        func presence() async throws {
            try await World.withSwitchedRadio { service, radio, clock in
                try await service.createCircle(name: "")
                for attendance in [Attendance.away, .idle] {
                    await service.attend(attendance)
                    try await radio.listens(attendance == .away ? .never : .sometimes)
                }
                await service.attend(.present)
                try await radio.listens(.always)
                clock.advance(by: ListeningPlan.alertness)
                try await radio.listens(.usually)
                await service.look()
                try await radio.listens(.always)
            }
        }

        @Test("A program that lists the offers makes the radio listen no more than usual")
        func listing() async throws {
            try await World.withSwitchedRadio { service, radio, clock in
                try await service.createCircle(name: "")
                await service.look()
                clock.advance(by: ListeningPlan.alertness)
                try await radio.listens(.usually)
                for _ in 0..<10 { _ = await service.offers() }
                #expect(await service.listening.deadline(at: clock.uptime) == nil)
            }
        }

        @Test("The radio listens for 20 s when an activity becomes current, but not when its contents change")
        func publishing() async throws {
            try await World.withSwitchedRadio { service, radio, clock in
                try await service.createCircle(name: "")
                try await radio.listens(.usually)
                let note = try await service.publish(
                    ActivityState(activityType: "note"), team: "", needsSave: false, client: Device.app)
                try await radio.listens(.usually)
                try await service.becomeCurrent(note, client: Device.app)
                try await radio.listens(.always)
                clock.advance(by: ListeningPlan.alertness)
                try await radio.listens(.usually)
                try await service.becomeCurrent(note, client: Device.app)
                try await service.update(note, needsSave: false, client: Device.app) { $0 }
                #expect(radio.listening.value == .usually)
                let other = ClientID(rawValue: ":1.2")
                let song = try await service.publish(
                    ActivityState(activityType: "song"), team: "", needsSave: false, client: other)
                try await service.becomeCurrent(song, client: other)
                try await radio.listens(.always)
            }
        }

        @Test("While the only other member is linked in a local network, the radio listens less")
        func linked() async throws {
            let clock = ManualClock(uptime: .seconds(1_000))
            try await World.with { world in
                let radio = SwitchedRadio()
                let anna = try await world.device(
                    "anna", tcp: true, clock: clock, wrap: { _ in radio }, wrapTCP: { OneAddressTCP(proxied: $0) })
                let berta = try await world.device(
                    "berta", tcp: true, clock: clock, wrapTCP: { OneAddressTCP(proxied: $0) })
                radio.set(.ready)
                try await anna.service.createCircle(name: "")
                try await berta.service.joinCircle(anna.service.invite().text)
                await anna.service.attend(.present, needsSignals: false)
                let told = try #require(await anna.service.reachability.listeners.told.first)
                let address = try #require(HostAddress.parsing(told.address)?.bytes)
                for device in [anna, berta] {
                    await device.service.networksChanged([Self.home(address)])
                    _ = try await device.service.knowNetworks()
                }
                let endpoint = Endpoint(transport: .tcp, address: told.address, port: told.port)
                let link = try await berta.service.link(to: anna.identityID, by: .at(endpoint))
                #expect(link.traits.kind == .tcp)
                try await radio.listens(.sometimes)
                await anna.service.attend(.present, needsSignals: true)
                try await radio.listens(.usually)
                await anna.service.attend(.present, needsSignals: false)
                try await radio.listens(.sometimes)
                await anna.service.advertise(false)
                try await radio.listens(.usually)
            }
        }

        private static func home(_ address: [UInt8]) -> LocalNetwork {
            LocalNetwork(
                interface: 1, name: "lan", hasBroadcast: true, addresses: [.init(bytes: address, prefixLength: 8)],
                hasDefaultRoute: true,
                gateways: [.init(address: address, prefixLength: 8, linkLayerAddress: [2, 0, 0, 0, 0, 1])])
        }

        @Test("The radio listens while an invitation is open, even if the user is away")
        func invitation() async throws {
            try await World.withSwitchedRadio { service, radio, clock in
                try await service.createCircle(name: "")
                await service.attend(.away)
                try await radio.listens(.never)
                _ = try await service.invite()
                try await radio.listens(.always)
                clock.advance(by: .seconds(600))
                try await radio.listens(.never)
            }
        }
    }
}
