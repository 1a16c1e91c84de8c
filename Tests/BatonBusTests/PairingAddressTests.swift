// SPDX-License-Identifier: Apache-2.0

import BatonBus
import Testing

@Suite struct PairingAddressTests {
    @Test(
        "A pairing address is read as a host and a port, also with brackets around an IPv6 address",
        arguments: [
            ("192.0.2.7:4711", "192.0.2.7"), ("[2001:db8::7]:4711", "2001:db8::7"), ("2001:db8::7:4711", "2001:db8::7"),
            ("[fe80::1%eth0]:4711", "fe80::1%eth0"),
        ])
    func addressIsRead(text: String, host: String) throws {
        let address = try PairingAddress(text)
        #expect(address.host == host && address.port == 4_711)
    }

    @Test(
        "An invalid pairing address is refused, with an example of a valid one",
        arguments: [
            "", "127.0.0.1", "127.0.0.1:0", "127.0.0.1:99999", "127.0.0.1:x", "x:", "x:4711", "sofa.local:4711",
            ":4711",
            "[]:4711", "[127.0.0.1]:4711", "[2001:db8::7:4711", "300.0.0.1:4711", "127.0.0.1 :4711", "127.0.0.1:+4711",
            "127.0.0.1:04711",
        ])
    func whatIsNoAddressIsRefused(text: String) {
        let error = #expect(throws: BatonError.self) { try PairingAddress(text) }
        #expect(error?.code == .invalidArgument && error?.message.contains("192.0.2.7:4711") == true)
    }
}
