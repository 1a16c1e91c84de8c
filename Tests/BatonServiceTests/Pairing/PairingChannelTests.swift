// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTesting
import BatonTransport
import TCPTransport
import Testing

@testable import BatonService

extension ServiceTests.CircleLane {
    /// Tests the limits on channels from strangers that pair, and that nothing is left of these
    /// channels.
    struct PairingChannelTests {
        /// A weak reference to a channel that the service accepted.
        private struct Taken: @unchecked Sendable {
            // The reference is set only at creation, and weak references can be read safely from
            // any thread.
            weak var wire: PairingWire?
        }

        private static let opening = Array("baton pair 2".utf8)

        private func door(of device: Device) async throws -> Door {
            let endpoints = await device.service.reachability.listeners[.tcp]?.endpoints() ?? []
            return Door(
                endpoint: try #require(endpoints.first { $0.address == "127.0.0.1" }),
                transport: TCPTransport(sharesMachine: true))
        }

        @Test("1,000 channels that began to pair and have closed leave no data behind")
        func nothingIsLeft() async throws {
            try await World.withDevice(tcp: true) { anna in
                let door = try await door(of: anna)
                let pairing = await anna.service.channels.pairingDoor
                let taken = Watched<[Taken]>([])
                for count in 1...1_000 {
                    pairing.set { wire in taken.change { $0.append(Taken(wire: wire)) } }
                    let stranger = try await door.dial()
                    stranger.send(Self.opening)
                    _ = try await taken.wait("the channel") { $0.count == count ? true : nil }
                    await stranger.close()
                }
                try await eventually("they have gone", within: .seconds(20)) {
                    taken.value.allSatisfy { $0.wire == nil }
                }
            }
        }

        @Test("A pairing takes one channel, and later channels are treated as strangers")
        func oneChannel() async throws {
            try await World.withDevice(tcp: true) { anna in
                let door = try await door(of: anna)
                let pairing = await anna.service.channels.pairingDoor
                let taken = Watched<[PairingWire]>([])
                pairing.set { wire in taken.change { $0.append(wire) } }
                let first = try await door.dial()
                first.send(Self.opening)
                _ = try await taken.wait("the channel") { $0.isEmpty ? nil : true }
                let second = try await door.dial()
                second.send(Self.opening + [UInt8](repeating: 1, count: 600))
                _ = try await second.receivedToEnd()
                #expect(taken.value.count == 1)
                #expect(!first.isClosed)
                #expect(!pairing.isOpen)
                await first.close()
            }
        }

        @Test("A channel with more bytes than a pairing takes is closed")
        func manyBytes() async throws {
            try await World.withDevice(tcp: true) { anna in
                let door = try await door(of: anna)
                let taken = Watched<PairingWire?>(nil)
                await anna.service.channels.pairingDoor.set { wire in taken.change { $0 = wire } }
                let stranger = try await door.dial()
                stranger.send(Self.opening)
                let wire = try await taken.wait("the channel") { $0 }
                for _ in 0..<50 { stranger.send([UInt8](repeating: 1, count: 100)) }
                var received = 0
                for await bytes in wire.incoming {
                    received += bytes.count
                    if received > PairingWire.maximumBytes { break }
                }
                #expect(received <= PairingWire.maximumBytes)
                await stranger.close()
            }
        }

        @Test("A finished pairing keeps neither channels nor keys")
        func keepsNoKeys() async throws {
            try await World.withStrangers { anna, berta in
                try await Device.pairByAddress(waiting: anna, dialling: berta)
                for device in [anna, berta] {
                    await device.service.pairingEnds()
                    #expect(await device.service.keepsNothingOfPairing)
                }
            }
        }
    }
}

extension HandoffService {
    fileprivate var keepsNothingOfPairing: Bool {
        guard let pairing = pairings.run, pairing.isOver else { return false }
        // The keys are released with the channel over which they were agreed.
        return pairing.procedure.channel == nil && pairing.agreement == nil
    }
}
