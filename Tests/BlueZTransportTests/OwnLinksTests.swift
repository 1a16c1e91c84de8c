// SPDX-License-Identifier: GPL-3.0-or-later

import L2CAP
import Testing

@testable import BlueZTransport

@Suite struct OwnLinksTests {
    private var links = OwnLinks()

    private static func address(_ number: Int) -> BluetoothAddress {
        BluetoothAddress(value: 0x4000_0000_0000 + UInt64(number), kind: .random)
    }

    @Test("A link counts as dialled here during the dial and for five seconds afterwards")
    mutating func ownWhileDialled() {
        let octets = Self.address(1).octets
        #expect(!links.include(octets: octets, at: .zero))
        links.begin(Self.address(1), at: .zero)
        #expect(links.include(octets: octets, at: .seconds(600)))
        links.end(Self.address(1), at: .seconds(600))
        #expect(links.include(octets: octets, at: .seconds(604)))
        #expect(!links.include(octets: octets, at: .seconds(605)))
        #expect(!links.include(octets: Self.address(2).octets, at: .zero))
    }

    @Test("If there are two dials to one address, the one that ends last counts")
    mutating func twoDials() {
        for _ in 0..<2 { links.begin(Self.address(1), at: .zero) }
        links.end(Self.address(1), at: .zero)
        #expect(links.include(octets: Self.address(1).octets, at: .seconds(60)))
    }

    @Test("The number of addresses is limited, and outdated ones make room")
    mutating func limit() {
        for number in 0...OwnLinks.limit { links.begin(Self.address(number), at: .zero) }
        let last = Self.address(OwnLinks.limit)
        #expect(!links.include(octets: last.octets, at: .zero))
        links.end(Self.address(0), at: .zero)
        links.begin(last, at: OwnLinks.memory)
        #expect(links.include(octets: last.octets, at: OwnLinks.memory))
    }
}
