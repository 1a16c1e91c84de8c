// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import LocalDatagrams

/// Tests how the kernel's facts about a datagram are read.
@Suite struct ControlMessagesTests {
    private func message(_ level: CInt, _ type: CInt, _ value: [UInt8]) -> [UInt8] {
        let length = MemoryLayout<cmsghdr>.size + value.count
        let header = bytes(of: length) + bytes(of: level) + bytes(of: type)
        return header + value + [UInt8](repeating: 0, count: (8 - length % 8) % 8)
    }

    private func bytes<Number>(of number: Number) -> [UInt8] { withUnsafeBytes(of: number) { [UInt8]($0) } }

    @Test("The hop limit and the interface of both IP versions are read, and other facts are ignored")
    func facts() {
        let other = message(SOL_SOCKET, 29, [1, 2, 3])
        let v4 = ControlMessages(
            other + message(IPv4.level, IP_TTL, bytes(of: CInt(255)))
                + message(IPv4.level, IP_PKTINFO, bytes(of: CInt(3)) + [0, 0, 0, 0, 224, 0, 0, 1]))
        #expect(v4.hopLimit == 255 && v4.interface == 3)
        let address = [0xFF, 2] + [UInt8](repeating: 0, count: 13) + [1]
        let v6 = ControlMessages(
            message(IPv6.level, IPV6_PKTINFO, address + bytes(of: UInt32(4))) + other
                + message(IPv6.level, IPV6_HOPLIMIT, bytes(of: CInt(64))))
        #expect(v6.hopLimit == 64 && v6.interface == 4)
    }

    @Test("Messages that end too early are not read")
    func truncated() {
        let whole = message(IPv4.level, IP_TTL, bytes(of: CInt(255)))
        for count in 0..<20 { #expect(ControlMessages(Array(whole.prefix(count))).hopLimit == nil) }
        #expect(ControlMessages(message(IPv4.level, IP_TTL, [255])).hopLimit == nil)
        #expect(ControlMessages(message(IPv6.level, IPV6_PKTINFO, [1, 2])).interface == nil)
        // A length of zero, or one that is shorter than the header, must not cause an endless loop.
        #expect(ControlMessages([UInt8](repeating: 0, count: 64)) == ControlMessages([]))
        #expect(ControlMessages([UInt8](repeating: 0xFF, count: 64)) == ControlMessages([]))
    }
}
