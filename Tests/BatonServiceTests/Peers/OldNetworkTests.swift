// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTesting
import BatonTransport
import LocalNetworks
import Testing

@testable import BatonService

extension ServiceTests.CircleLane {
    /// Tests when the service forgets local networks (Decisions/0116-links-over-local-networks.md).
    struct OldNetworkTests {
        @Test("A local network is forgotten 90 days after its last use, when the laptop comes into another one")
        func oldNetworks() async throws {
            try await World.withDevice { anna, clock in
                try await anna.service.useNetworks([1, 2])
                clock.advance(by: .seconds(KnownNetworks.lifetime - 1))
                try await anna.service.useNetworks([2])
                await anna.service.networksChanged([])
                #expect(await anna.service.store.state.networks.count == 2)
                clock.advance(by: .seconds(1))
                await anna.service.networksChanged([])
                #expect(await anna.service.store.state.networks.count == 1)
            }
        }

        @Test("A local network is not forgotten while the laptop is in it or comes into it")
        func usedNetworks() async throws {
            let clock = ManualClock()
            let home = LocalNetwork(
                interface: 2, name: "lan", hasBroadcast: true,
                addresses: [.init(bytes: [192, 0, 2, 1], prefixLength: 24)], hasDefaultRoute: true,
                gateways: [
                    .init(address: [192, 0, 2, 254], prefixLength: 24, linkLayerAddress: [2, 0, 0, 0, 0, 1])
                ])
            try await World.withDevice(clock: clock) { anna in
                await anna.service.networksChanged([home])
                let count = try await anna.service.knowNetworks()
                #expect(count == 1)
                // The laptop stays at home for half a year.
                clock.advance(by: .seconds(2 * KnownNetworks.lifetime))
                await anna.service.networksChanged([])
                #expect(await anna.service.store.state.networks.count == 1)
                // The laptop is at home once in 60 days.
                for _ in 0..<3 {
                    clock.advance(by: .seconds(KnownNetworks.lifetime * 2 / 3))
                    await anna.service.networksChanged([home])
                    await anna.service.networksChanged([])
                }
                #expect(await anna.service.store.state.networks.count == 1)
            }
        }
    }
}

extension HandoffService {
    /// Uses the networks whose identities consist of these bytes.
    fileprivate func useNetworks(_ bytes: [UInt8]) throws {
        try store.update { state in
            for byte in bytes {
                state.networks.use(
                    [UInt8](repeating: byte, count: KnownNetworks.identityLength), at: clock.unixTime)
            }
        }
    }
}
