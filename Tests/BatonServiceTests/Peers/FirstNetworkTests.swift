// SPDX-License-Identifier: Apache-2.0

import BatonTesting
import LocalNetworks
import Testing

@testable import BatonService

extension ServiceTests.PeerLane {
    /// Tests `baton lan here` when it starts the daemon, which has not read the local networks yet.
    struct FirstNetworkTests {
        private static let home = LocalNetwork(
            interface: 2, name: "lan", hasBroadcast: true,
            addresses: [.init(bytes: [192, 0, 2, 1], prefixLength: 24)], hasDefaultRoute: true,
            gateways: [.init(address: [192, 0, 2, 254], prefixLength: 24, linkLayerAddress: [2, 0, 0, 0, 0, 1])])

        @Test("A program that makes the present networks known waits until they have been read")
        func early() async throws {
            let (networks, kernel) = AsyncStream.makeStream(of: [LocalNetwork].self)
            try await World.with { world in
                let service = try await world.device("anna", networks: networks).service
                let call = Task { try await service.knowNetworks() }
                try await eventually("a program that waits") { await service.lifecycle.hasNetworks.count == 1 }
                kernel.yield([Self.home])
                #expect(try await call.value == 1)
            }
        }

        @Test("A program does not wait longer for networks that cannot be read")
        func unread() async throws {
            let (networks, kernel) = AsyncStream.makeStream(of: [LocalNetwork].self)
            let clock = ManualClock()
            try await World.with { world in
                let service = try await world.device("anna", clock: clock, networks: networks).service
                let call = Task { try await service.knowNetworks() }
                try await eventually("a program that waits") { await service.lifecycle.hasNetworks.count == 1 }
                clock.advance(by: HandoffService.networksTimeout)
                let error = await #expect(throws: BatonError.self) { try await call.value }
                #expect(error?.code == .notFound)
            }
            kernel.finish()
        }
    }
}
