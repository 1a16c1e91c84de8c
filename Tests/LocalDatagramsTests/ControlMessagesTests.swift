// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import LocalDatagrams

/// The fact that the kernel gives about a datagram.
@Suite struct ControlMessagesTests {
    private func message(_ level: CInt, _ type: CInt, _ value: [UInt8]) -> [UInt8] {
        let length = MemoryLayout<cmsghdr>.size + value.count
        let header = bytes(of: length) + bytes(of: level) + bytes(of: type)
        return header + value + [UInt8](repeating: 0, count: (8 - length % 8) % 8)
    }

    private func bytes<Number>(of number: Number) -> [UInt8] { withUnsafeBytes(of: number) { [UInt8]($0) } }

    @Test("The hop limit of both IP versions is read, and other facts are skipped")
    func facts() {
        let other = message(SOL_SOCKET, 29, [1, 2, 3])
        let v4 = ControlMessages(other + message(IPv4.level, IP_TTL, bytes(of: CInt(255))))
        #expect(v4.hopLimit == 255)
        let v6 = ControlMessages(other + message(IPv6.level, IPV6_HOPLIMIT, bytes(of: CInt(64))))
        #expect(v6.hopLimit == 64)
    }

    @Test("Messages that end too early are not read")
    func truncated() {
        let whole = message(IPv4.level, IP_TTL, bytes(of: CInt(255)))
        for count in 0..<20 { #expect(ControlMessages(Array(whole.prefix(count))).hopLimit == nil) }
        #expect(ControlMessages(message(IPv4.level, IP_TTL, [255])).hopLimit == nil)
        // A length of zero, or one that is shorter than the header, must not be read for ever.
        #expect(ControlMessages([UInt8](repeating: 0, count: 64)) == ControlMessages([]))
        #expect(ControlMessages([UInt8](repeating: 0xFF, count: 64)) == ControlMessages([]))
    }
}
