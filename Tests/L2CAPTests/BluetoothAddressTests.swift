// SPDX-License-Identifier: GPL-3.0-or-later

import Testing

@testable import L2CAP

@Suite struct BluetoothAddressTests {
    @Test(
        "An address is read back from its text",
        arguments: ["C0:FF:EE:00:00:01/public", "00:AA:01:02:03:FF/random"])
    func readsWhatItWrites(_ text: String) throws {
        let address = try #require(BluetoothAddress(text))
        #expect(address.description == text)
    }

    @Test("An address in lower case is accepted, and written in upper case")
    func readsLowerCase() {
        #expect(BluetoothAddress("c0:ff:ee:00:00:01/public")?.description == "C0:FF:EE:00:00:01/public")
    }

    @Test("The first octet of an address is the highest of its value")
    func putsTheFirstOctetHighest() {
        #expect(BluetoothAddress("C0:FF:EE:00:00:01/public")?.value == 0xC0FF_EE00_0001)
    }

    @Test(
        "Any text other than six octets and a kind is refused as an address",
        arguments: [
            "", "/", "/public", "C0:FF:EE:00:00:01", "C0:FF:EE:00:00:01/", "C0:FF:EE:00:00:01/Public",
            "C0:FF:EE:00:00:01/public/random", "C0:FF:EE:00:00/public", "C0:FF:EE:00:00:01:02/public",
            "C0-FF-EE-00-00-01/public", "G0:FF:EE:00:00:01/public", " C0:FF:EE:00:00:01/public",
            "C0:FF:EE:00:00:0/public", "C0:FF:EE:00:00:é/public", "+0:FF:EE:00:00:01/public",
            String(repeating: "C0:", count: 10_000) + "/public",
        ])
    func refusesAnythingElse(_ text: String) { #expect(BluetoothAddress(text) == nil) }

    @Test("The same octets with different kinds are different addresses")
    func kindsAreDifferentAddresses() {
        #expect(BluetoothAddress("C0:FF:EE:00:00:01/public") != BluetoothAddress("C0:FF:EE:00:00:01/random"))
    }

    @Test("Bits above the lowest 48 are dropped from an address")
    func dropsHigherBits() {
        #expect(BluetoothAddress(value: 0xFFFF_0000_0000_0001, kind: .public).value == 1)
    }
}
