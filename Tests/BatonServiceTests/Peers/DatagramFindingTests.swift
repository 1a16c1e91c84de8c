// SPDX-License-Identifier: Apache-2.0

import Diagnosis
import LocalDatagrams
import LocalNetworks
import Testing

@testable import BatonService

extension ServiceTests.PeerLane {
    struct DatagramFindingTests {
        /// A carrier that the kernel may refuse.
        private struct Carrier: DatagramCarrier {
            let isRefused: Bool
            let received = AsyncStream<ReceivedDatagram> { $0.finish() }
            func listen(in networks: [LocalNetwork]) {}
            func send(_ datagram: [UInt8], by family: AddressFamily, in interface: UInt32) {}
        }

        @Test("A kernel that refuses datagrams is a finding, unless the network is not used", arguments: [true, false])
        func refused(isRefused: Bool) async throws {
            try await World.with { world in
                let device = try await world.device("anna", datagrams: Carrier(isRefused: isRefused))
                let found = await device.service.status().findings.map(\.code)
                #expect(found.contains("datagrams-refused") == isRefused)
                await device.service.useLocalNetworks(.off, tellsTitles: true, isLocked: false)
                let later = await device.service.status().findings.map(\.code)
                #expect(!later.contains("datagrams-refused"))
            }
        }
    }
}
