// SPDX-License-Identifier: Apache-2.0

import AssociatedDomains
import Glibc
import Testing

/// Tests how IP addresses are classified.
@Suite struct NetworkAddressTests {
    private func reach(_ text: String) -> NetworkAddress.Reach? {
        var bytes = [UInt8](repeating: 0, count: text.contains(":") ? 16 : 4)
        guard inet_pton(text.contains(":") ? AF_INET6 : AF_INET, text, &bytes) == 1 else { return nil }
        return NetworkAddress(bytes)?.reach
    }

    @Test("Loopback, private, shared and link-local addresses are local")
    func local() {
        let own = [
            "127.0.0.1", "127.255.255.255", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.0.1", "169.254.1.1",
            "100.64.0.1", "100.127.255.255", "::1", "fe80::1", "febf::1", "fec0::1", "fc00::1", "fdff::1",
        ]
        for text in own { #expect(reach(text) == .local, "\(text)") }
    }

    @Test("An IPv6 address that contains an IPv4 address is classified by the IPv4 address")
    func embedded() {
        for text in ["::ffff:127.0.0.1", "::ffff:192.168.1.1", "64:ff9b::10.0.0.1", "2002:a00:1::1"] {
            #expect(reach(text) == .local, "\(text)")
        }
        for text in ["::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "2002:808:808::1"] {
            #expect(reach(text) == .global, "\(text)")
        }
        #expect(reach("::ffff:224.0.0.1") == .nobody)
    }

    @Test("Multicast, broadcast, unspecified, reserved and example addresses belong to no host")
    func nobody() {
        let others = [
            "0.0.0.0", "224.0.0.1", "239.1.1.1", "240.0.0.1", "255.255.255.255", "192.0.0.8", "192.0.2.1", "198.18.0.1",
            "198.19.255.255", "198.51.100.1", "203.0.113.1", "192.88.99.1", "::", "ff02::1", "2001::1", "2001:db8::1",
            "3fff::1", "100::1", "5f00::1", "::127.0.0.1", "64:ff9b:1::1",
        ]
        for text in others { #expect(reach(text) == .nobody, "\(text)") }
    }

    @Test("Addresses outside of the special ranges are global")
    func global() {
        let others = [
            "8.8.8.8", "172.15.0.1", "172.32.0.1", "100.63.255.255", "100.128.0.1", "192.167.1.1", "11.0.0.1",
            "198.17.0.1", "223.255.255.255", "2606:4700::1", "2001:200::1", "2a00::1",
        ]
        for text in others { #expect(reach(text) == .global, "\(text)") }
        #expect(NetworkAddress([1, 2, 3]) == nil && NetworkAddress([]) == nil)
    }
}
