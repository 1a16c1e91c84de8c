// SPDX-License-Identifier: Apache-2.0

import BatonTesting
import BatonTransport
import NIOCore
import Testing

@testable import BatonProtocol
@testable import BatonService

extension ServiceTests.HandoverLane {
    /// Tests floods by strangers while a member dials.
    ///
    /// The clock stands still. So the second after which more knocks are checked never passes, and
    /// the three seconds for half-open channels never end.
    struct FloodTests {
        private static let wrong = [UInt8](repeating: 1, count: 32)

        /// Has a stranger knock with a key of its own.
        @Sendable private static func knocks(_ stranger: Stranger) async throws {
            let nonce = try await stranger.received(16)
            guard nonce.count == 16, let key = PairwiseKey(bytes: wrong) else { return }
            stranger.send(knock(under: key, nonce: nonce, transport: .tcp, hello: clientHello()))
            _ = try await stranger.receivedToEnd()
        }

        /// Has a stranger wait without sending anything.
        @Sendable private static func waits(_ stranger: Stranger) async throws {
            _ = try await stranger.received(16)
        }

        private func tcpDoor(of device: Device, from address: String) async throws -> Door {
            let endpoints = await device.service.reachability.listeners[.tcp]?.endpoints() ?? []
            return Door(
                endpoint: try #require(endpoints.first { $0.address == "127.0.0.1" }), transport: TCPFrom(address))
        }

        /// Expects that the device serves a member's control channel by radio.
        private func expectServed(_ member: Device, by device: Device) async throws {
            let channel = try await member.dial(device)
            channel.send(.hello(await member.service.hello()))
            guard case .hello = try await channel.nextFrame(within: .seconds(30)) else {
                Issue.record("no hello")
                return
            }
            channel.close()
        }

        /// Expects that a slow member gets an answer, although strangers come and go between the
        /// nonce and the member's knock.
        private func expectAnswer(_ member: Device, at door: Door, of device: Device, during flood: Flood) async throws
        {
            let channel = try await door.dial()
            let nonce = try await channel.received(16)
            try await flood.more(40)
            let key = try await member.credential(of: device).key
            channel.send(knock(under: key, nonce: nonce, transport: door.endpoint.transport, hello: clientHello()))
            #expect(try await channel.received(32).count >= 32, "the nonce and the answer")
            await channel.close()
        }

        @Test("Endless wrong knocks over TCP do not keep out a member that connects by radio")
        func knocksOverTCP() async throws {
            try await World.withReachablePair(tcp: true, clock: ManualClock()) { anna, berta in
                let addresses = (1...8).map { "127.0.0.\($0)" }
                var doors: [Door] = []
                for address in addresses { doors.append(try await tcpDoor(of: anna, from: address)) }
                try await Flood.over(doors, each: Self.knocks) { flood in
                    // Send more knocks than the limit for all strangers together.
                    try await flood.more(KnockLimits.knocksPerSecond + 1)
                    try await expectServed(berta, by: anna)
                    try await expectAnswer(
                        berta, at: Door(endpoint: anna.door, transport: berta.radio), of: anna, during: flood)
                }
            }
        }

        @Test("Endless half-open channels over TCP do not push out a member's channel by radio")
        func halfOpenOverTCP() async throws {
            try await World.withReachablePair(tcp: true, clock: ManualClock()) { anna, berta in
                let doors = [
                    try await tcpDoor(of: anna, from: "127.0.0.1"), try await tcpDoor(of: anna, from: "127.0.0.2"),
                ]
                try await Flood.over(doors, each: Self.waits) { flood in
                    try await flood.more(40)
                    try await expectServed(berta, by: anna)
                    try await expectAnswer(
                        berta, at: Door(endpoint: anna.door, transport: berta.radio), of: anna, during: flood)
                }
            }
        }

        @Test("Wrong knocks and half-open channels from one radio do not keep out a member with another radio")
        func overTheRadio() async throws {
            try await World.with { world in
                let (anna, berta) = try await world.reachablePair(clock: ManualClock())
                let door = Door(endpoint: try await anna.door, transport: try await world.radio("stranger"))
                let act: @Sendable (Stranger) async throws -> Void = { stranger in
                    if Bool.random() { try await Self.knocks(stranger) } else { try await Self.waits(stranger) }
                }
                try await Flood.over([door, door], each: act) { flood in
                    try await flood.more(60)
                    try await expectServed(berta, by: anna)
                    try await expectAnswer(
                        berta, at: Door(endpoint: anna.door, transport: berta.radio), of: anna, during: flood)
                }
            }
        }

        @Test(
            "Over TCP, half-open channels and wrong knocks from one address do not keep out a member at another",
            arguments: [true, false])
        func oneAddress(knocks: Bool) async throws {
            try await World.withReachablePair(tcp: true, clock: ManualClock()) { anna, berta in
                let door = try await tcpDoor(of: anna, from: "127.0.0.1")
                try await Flood.over([door, door], each: knocks ? Self.knocks : Self.waits) { flood in
                    try await flood.more(40)
                    try await expectAnswer(berta, at: tcpDoor(of: anna, from: "127.0.0.2"), of: anna, during: flood)
                }
            }
        }

        @Test(
            "Over TCP, strangers at many addresses do not keep out a member at an address that it has used before",
            arguments: [true, false])
        func manyAddresses(knocks: Bool) async throws {
            try await World.withReachablePair(tcp: true, clock: ManualClock()) { anna, berta in
                let known = try await tcpDoor(of: anna, from: "127.0.0.2")
                let key = try await berta.credential(of: anna).key
                let first = try await known.dial()
                try await first.knock(under: key, over: .tcp)
                #expect(try await first.received(32).count >= 32)
                await first.close()
                var doors: [Door] = []
                for number in 1...24 { doors.append(try await tcpDoor(of: anna, from: "127.0.1.\(number)")) }
                try await Flood.over(doors, each: knocks ? Self.knocks : Self.waits) { flood in
                    try await flood.more(KnockLimits.knocksPerSecond + 1)
                    try await expectAnswer(berta, at: known, of: anna, during: flood)
                }
            }
        }
    }
}
