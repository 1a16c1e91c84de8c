// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTesting
import BatonTransport
import Testing

@testable import BatonService

extension ServiceTests.CircleLane {
    /// When the service forgets local networks (Decisions/0116-links-over-local-networks.md).
    struct OldNetworkTests {
        @Test("A local network is forgotten 90 days after its last use, when the laptop comes into another one")
        func oldNetworks() async throws {
            let clock = ManualClock()
            try await World.with { world in
                let anna = try await world.device("anna", clock: clock)
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
