// SPDX-License-Identifier: Apache-2.0

import Crypto
import Testing

@testable import LocalNetworks

/// Tests the identity by which a network is recognised.
@Suite struct NetworkIdentityTests {
    private func identity(
        _ address: [UInt8] = [192, 0, 2, 1], _ prefixLength: Int = 24,
        at linkLayerAddress: [UInt8]? = [2, 0, 0, 0, 0, 1],
        key: UInt8 = 7
    ) -> NetworkIdentity? {
        let network = LocalNetwork(
            interface: 3, name: "wlan0", hasBroadcast: true, addresses: [], hasDefaultRoute: true,
            gateways: [.init(address: address, prefixLength: prefixLength, linkLayerAddress: linkLayerAddress)])
        return network.identities(key: SymmetricKey(data: [UInt8](repeating: key, count: 32))).first
    }

    @Test("The identity is computed as Documentation/Decisions/0112 says")
    func vector() {
        // The expected identity was computed with Python's hmac.
        let text = identity()?.bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        #expect(text == "76af4332e8a3fb179c7b2aeb216a30f1185daa37b000889dbe97b5053a36e3ef")
    }

    @Test(
        "Another key, router, prefix or prefix length gives another identity, but another address of the router does not"
    )
    func differences() {
        let other: [UInt8] = [2, 0, 0, 0, 0, 2]
        let all = [
            identity(), identity(key: 8), identity(at: other), identity([192, 0, 3, 1]), identity([192, 0, 2, 1], 25),
            identity([UInt8](repeating: 0, count: 16), 24),
        ]
        #expect(Set(all).count == all.count && !all.contains(nil))
        #expect(identity([192, 0, 2, 254]) == identity())
    }

    @Test("A router with an unknown link-layer address gives no identity")
    func unknown() { #expect(identity(at: nil) == nil) }

    @Test("A stored identity has 32 bytes")
    func stored() {
        #expect(NetworkIdentity(bytes: identity()?.bytes ?? []) == identity())
        for count in [0, 31, 33] { #expect(NetworkIdentity(bytes: [UInt8](repeating: 1, count: count)) == nil) }
    }

    @Test("A prefix may end inside a byte")
    func prefixes() {
        let address: [UInt8] = [255, 255, 255, 255]
        for (length, prefix): (Int, [UInt8]) in [
            (0, [0, 0, 0, 0]), (1, [128, 0, 0, 0]), (8, [255, 0, 0, 0]), (23, [255, 255, 254, 0]), (32, address),
        ] {
            #expect(LocalNetwork.Address.prefix(of: address, length) == prefix)
        }
    }
}
