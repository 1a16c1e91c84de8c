// SPDX-License-Identifier: Apache-2.0

import HostAddresses
import Testing

@Suite struct HostAddressTests {
    @Test(
        "An IPv6 address that embeds an IPv4 address equals the IPv4 address",
        arguments: ["[::ffff:192.0.2.1]", "[::192.0.2.1]", "[::ffff:c000:201]"])
    func standsForIPv4(_ host: String) { #expect(HostAddress(host) == HostAddress("192.0.2.1")) }

    @Test(
        "The IPv4 address behind a translator or a tunnel is found",
        arguments: ["[64:ff9b::192.0.2.1]", "[::ffff:0:192.0.2.1]", "[2002:c000:201::1]"])
    func behindTranslator(_ host: String) {
        #expect(HostAddress(host)?.bytes.count == 16)
        #expect(HostAddress(host)?.behindTranslator == HostAddress("192.0.2.1"))
    }

    @Test(
        "Other addresses contain no address behind a translator or a tunnel",
        arguments: ["192.0.2.1", "[2001:db8::1]", "[64:ff9c::192.0.2.1]", "[::1:ffff:0:192.0.2.1]"])
    func nothingBehind(_ host: String) throws { #expect(try #require(HostAddress(host)).behindTranslator == nil) }

    @Test(
        "Loopback addresses are recognised",
        arguments: ["127.0.0.1", "127.255.0.9", "0.0.0.0", "[::]", "[::1]", "[::ffff:127.0.0.1]"])
    func loopback(_ host: String) { #expect(HostAddress(host)?.isLoopback == true) }

    @Test(
        "Other addresses do not count as loopback addresses",
        arguments: ["128.0.0.1", "192.0.2.1", "[2001:db8::1]", "[fe80::1]"])
    func others(_ host: String) { #expect(HostAddress(host)?.isLoopback == false) }

    @Test("The address of the loopback interface counts as one of this computer's addresses")
    func ofInterfaces() throws {
        #expect(HostAddress.ofInterfaces().contains(try #require(HostAddress("127.0.0.1"))))
    }
}
