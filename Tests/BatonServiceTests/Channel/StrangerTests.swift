// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTesting
import BatonTransport
import NIOCore
import TCPTransport
import Testing

@testable import BatonService

extension ServiceTests.HandoverLane {
    /// Tests that a stranger receives only 16 random bytes and the end of the channel, whatever it
    /// does.
    struct StrangerTests {
        enum Kind: CaseIterable { case radio, tcp }

        private func door(
            _ kind: Kind, of device: Device, in world: World, as name: String = "stranger"
        ) async throws -> Door {
            switch kind {
            case .radio:
                let endpoint = try #require(await device.service.reachability.listeners[.simulated]?.endpoints().first)
                return Door(endpoint: endpoint, transport: try await world.radio(name))
            case .tcp:
                let endpoints = await device.service.reachability.listeners[.tcp]?.endpoints() ?? []
                let endpoint = try #require(endpoints.first { $0.address == "127.0.0.1" })
                return Door(endpoint: endpoint, transport: TCPTransport(sharesMachine: true))
            }
        }

        /// Returns a device that advertises an activity, and another of its circle that has heard
        /// it.
        private func pair(_ world: World, clock: any DeviceClock = SystemClock()) async throws -> (Device, Device) {
            let (anna, berta) = try await world.pair(tcp: true, clock: clock, patience: .anHour)
            try await anna.publish("note")
            _ = try await berta.offer(ofType: "note")
            return (anna, berta)
        }

        @Test(
            "A channel that sends no bytes, too few, or single bytes slowly is closed after three seconds",
            arguments: Kind.allCases)
        func silence(kind: Kind) async throws {
            try await World.with { world in
                // The connection limiter checks the clock three seconds after each channel was
                // opened.
                let clock = ManualClock()
                let (anna, berta) = try await pair(world, clock: clock)
                let door = try await door(kind, of: anna, in: world)
                let key = try #require(PairwiseKey(bytes: [UInt8](repeating: 1, count: 32)))
                var strangers: [Stranger] = []
                for count in [0, 1, 33, 150] {
                    let stranger = try await door.dial()
                    let whole = knock(
                        under: key, nonce: try await stranger.received(16), transport: door.endpoint.transport,
                        hello: clientHello())
                    for byte in whole.prefix(count) { stranger.send([byte]) }
                    strangers.append(stranger)
                }
                #expect(strangers.allSatisfy { !$0.isClosed })
                clock.advance(by: .seconds(3))
                // The limiter also checks when another channel comes, in case the test took longer
                // than three seconds.
                _ = try await self.door(kind, of: anna, in: world, as: "another").dial()
                for stranger in strangers { #expect(try await stranger.receivedToEnd().count == 16) }
                _ = try await berta.takeOver("note")
            }
        }

        @Test("Garbage closes the channel at once", arguments: Kind.allCases)
        func garbage(kind: Kind) async throws {
            try await World.with { world in
                let (anna, berta) = try await pair(world, clock: ManualClock())
                let garbage = [
                    [UInt8](repeating: 0, count: 100), pattern(5_000, seed: 1),
                    // The first is a ClientHello that is too long and incomplete, so waiting for
                    // the rest would never end. The other byte sequences are not a ClientHello.
                    [UInt8](repeating: 9, count: 32) + [0x10, 0x01] + clientHello(ofSize: 4_097).prefix(50),
                    [UInt8](repeating: 9, count: 32) + [0, 50] + [UInt8](repeating: 22, count: 50),
                    Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8) + [UInt8](repeating: 255, count: 50),
                ]
                for (number, bytes) in garbage.enumerated() {
                    // A radio that has failed three times loses its link, and with it the channels
                    // that are just being opened.
                    let door = try await door(kind, of: anna, in: world, as: "stranger\(number)")
                    let stranger = try await door.dial()
                    stranger.send(bytes)
                    #expect(try await stranger.receivedToEnd().count == 16)
                }
                _ = try await berta.takeOver("note")
            }
        }

        @Test("A knock with a wrong key, or a replayed one, closes the channel", arguments: Kind.allCases)
        func wrongKnock(kind: Kind) async throws {
            try await World.with { world in
                let (anna, berta) = try await pair(world, clock: ManualClock())
                let door = try await door(kind, of: anna, in: world)
                let transport = door.endpoint.transport
                let wrong = try #require(PairwiseKey(bytes: [UInt8](repeating: 1, count: 32)))
                let stranger = try await door.dial()
                try await stranger.knock(under: wrong, over: transport)
                #expect(try await stranger.receivedToEnd().count == 16)

                // A recorded knock of a member is valid only for the nonce that it answered.
                let key = try await berta.credential(of: anna).key
                let member = try await door.dial()
                let recorded = knock(
                    under: key, nonce: try await member.received(16), transport: transport, hello: clientHello())
                member.send(recorded)
                #expect(try await member.received(32).count > 16)
                await member.close()
                let replay = try await door.dial()
                replay.send(recorded)
                #expect(try await replay.receivedToEnd().count == 16)
            }
        }

        @Test("Each stranger gets a different nonce, and no other data of the device", arguments: Kind.allCases)
        func nonces(kind: Kind) async throws {
            try await World.with { world in
                let (anna, _) = try await pair(world, clock: ManualClock())
                let door = try await door(kind, of: anna, in: world)
                var nonces: Set<[UInt8]> = []
                var strangers: [Stranger] = []
                for _ in 0..<10 {
                    let stranger = try await door.dial()
                    nonces.insert(try await stranger.received(16))
                    strangers.append(stranger)
                }
                for stranger in strangers { await stranger.close() }
                #expect(nonces.count == 10)
            }
        }

        @Test(
            "40 silent channels do not keep a member out, because the oldest ones are closed", arguments: Kind.allCases)
        func flood(kind: Kind) async throws {
            try await World.with { world in
                // The clock stands still, so the three seconds for silent channels never end.
                let (anna, berta) = try await pair(world, clock: ManualClock())
                // Wait until berta has no dial, so that all channels belong to the strangers.
                await berta.dialsEnd()
                let door = try await door(kind, of: anna, in: world)
                var strangers: [Stranger] = []
                for _ in 0..<40 {
                    // A radio link that fails this often is dropped, and with it the channels that
                    // are just being opened.
                    guard let stranger = kind == .tcp ? try await door.dial() : try? await door.dial() else { continue }
                    _ = try await stranger.received(16)
                    strangers.append(stranger)
                }
                try #require(strangers.count > KnockLimits.unprovedChannels)
                for stranger in strangers.dropLast(KnockLimits.unprovedChannels) {
                    let count = try await stranger.receivedToEnd().count
                    #expect(count == 16 || (kind == .radio && count == 0))
                }
                if kind == .tcp {
                    #expect(strangers.count == 40)
                    #expect(strangers.suffix(KnockLimits.unprovedChannels).allSatisfy { !$0.isClosed })
                }
                _ = try await berta.takeOver("note")
            }
        }

        @Test("At most 20 knocks from one address are tried in a second, even if they are right")
        func knockFlood() async throws {
            try await World.with { world, clock in
                let (anna, berta) = try await world.reachablePair(tcp: true, clock: clock)
                let door = try await door(.tcp, of: anna, in: world)
                // Let a second pass since the dials over TCP that made the circle.
                clock.advance(by: .seconds(1))
                let wrong = try #require(PairwiseKey(bytes: [UInt8](repeating: 1, count: 32)))
                let right = try await berta.credential(of: anna).key
                for number in 0..<60 {
                    let stranger = try await door.dial()
                    let key = number < 20 ? wrong : right
                    try await stranger.knock(under: key, over: .tcp)
                    #expect(try await stranger.receivedToEnd().count == 16)
                }
                clock.advance(by: .seconds(1))
                let member = try await door.dial()
                try await member.knock(under: right, over: .tcp)
                #expect(try await member.received(32).count >= 32)
                await member.close()
            }
        }

        @Test("After three failures on a radio link the link is dropped with all its channels")
        func linkIsDropped() async throws {
            try await World.with { world in
                // The clock stands still, so the three seconds for silent channels never end.
                let (anna, _) = try await pair(world, clock: ManualClock())
                let door = try await door(.radio, of: anna, in: world)
                let waiting = try await door.dial()
                _ = try await waiting.received(16)
                for _ in 0..<3 {
                    let stranger = try await door.dial()
                    stranger.send([UInt8](repeating: 0, count: 100))
                    #expect(try await stranger.receivedToEnd().count == 16)
                }
                #expect(try await waiting.receivedToEnd().count == 16)
            }
        }

        @Test("A radio link with an open channel of a member is not dropped because of other channels' failures")
        func linkInUseIsKept() async throws {
            try await World.with { world in
                // Use only the radio, because a radio dial that TCP overtakes counts as such a
                // failure.
                let (anna, berta) = try await world.pair(clock: ManualClock())
                try await anna.publish("note")
                _ = try await berta.offer(ofType: "note")
                let link = try await berta.service.link(to: anna.service.identity.id)
                let endpoint = try #require(await anna.service.reachability.listeners[.simulated]?.endpoints().first)
                let door = Door(endpoint: endpoint, transport: berta.radio)
                for _ in 0..<9 {
                    let channel = try await door.dial()
                    channel.send([UInt8](repeating: 0, count: 100))
                    #expect(try await channel.receivedToEnd().count == 16)
                    try await link.ping(timeout: .seconds(30))
                }
            }
        }
    }
}
