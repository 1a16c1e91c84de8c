// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The fact that the kernel gives about a datagram (ip(7), ipv6(7)).
struct ControlMessages: Equatable {
    /// The remaining time to live, or the hop limit of IPv6.
    private(set) var hopLimit: CInt?

    /// The length of the header of one message: its length, level and type.
    private static let headerLength = MemoryLayout<cmsghdr>.size

    /// Reads the bytes that recvmsg(2) returned. Messages that end too early are left out.
    init(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while rest.count >= Self.headerLength {
            let header = rest.withUnsafeBytes { $0.loadUnaligned(as: cmsghdr.self) }
            let length = Int(header.cmsg_len)
            guard length >= Self.headerLength, length <= rest.count else { return }
            read(header, rest.prefix(length).dropFirst(Self.headerLength))
            let step = MemoryLayout<Int>.stride
            rest = rest.dropFirst((length + step - 1) / step * step)
        }
    }

    private mutating func read(_ header: cmsghdr, _ value: ArraySlice<UInt8>) {
        switch (header.cmsg_level, header.cmsg_type) {
        case (IPv4.level, IP_TTL), (IPv6.level, IPV6_HOPLIMIT): hopLimit = Self.number(value)
        default: break
        }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> CInt? {
        guard bytes.count >= MemoryLayout<CInt>.size else { return nil }
        return bytes.withUnsafeBytes { $0.loadUnaligned(as: CInt.self) }
    }
}
