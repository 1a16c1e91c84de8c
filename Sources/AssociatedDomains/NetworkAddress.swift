// SPDX-License-Identifier: Apache-2.0

/// An IP address, classified by which hosts can have it.
///
/// Source: IANA's registries of special-purpose addresses (RFC 6890); RFC 6052 and RFC 3056 for
/// IPv6 addresses that have an IPv4 address in them.
public struct NetworkAddress: Hashable, Sendable {
    /// The kinds of hosts that can have an address.
    public enum Reach: Hashable, Sendable {
        /// A host on the internet.
        case global
        /// This computer, or a host in a private network.
        case local
        /// No host has the address, or many hosts at once have it.
        case nobody
    }

    /// The kind of host that can have this address.
    public let reach: Reach

    /// Reads an address in network byte order.
    ///
    /// An address has 4 bytes for IPv4 or 16 for IPv6. Returns nil for any other length.
    public init?(_ bytes: [UInt8]) {
        switch bytes.count {
        case 4: reach = Self.reach(ofIPv4: bytes)
        case 16: reach = Self.reach(ofIPv6: bytes)
        default: return nil
        }
    }

    private static let localIPv4: [(prefix: [UInt8], bits: Int)] = [
        ([10, 0, 0, 0], 8), ([100, 64, 0, 0], 10), ([127, 0, 0, 0], 8), ([169, 254, 0, 0], 16), ([172, 16, 0, 0], 12),
        ([192, 168, 0, 0], 16),
    ]
    private static let nobodysIPv4: [(prefix: [UInt8], bits: Int)] = [
        ([0, 0, 0, 0], 8), ([192, 0, 0, 0], 24), ([192, 0, 2, 0], 24), ([192, 88, 99, 0], 24), ([198, 18, 0, 0], 15),
        ([198, 51, 100, 0], 24), ([203, 0, 113, 0], 24), ([224, 0, 0, 0], 3),
    ]

    private static func reach(ofIPv4 bytes: [UInt8]) -> Reach {
        if localIPv4.contains(where: { has(bytes, $0.prefix, $0.bits) }) { return .local }
        return nobodysIPv4.contains { has(bytes, $0.prefix, $0.bits) } ? .nobody : .global
    }

    private static func reach(ofIPv6 bytes: [UInt8]) -> Reach {
        let zeros = [UInt8](repeating: 0, count: 16)
        if bytes == zeros.dropLast() + [1] { return .local }
        // Link-local addresses (fe80::/10), site-local addresses (fec0::/10) and unique local
        // addresses (fc00::/7).
        if has(bytes, [0xFE, 0x80], 9) || has(bytes, [0xFC], 7) { return .local }
        // Addresses that contain an IPv4 address: IPv4-mapped (::ffff:0:0/96), NAT64 (64:ff9b::/96)
        // and 6to4 (2002::/16).
        if has(bytes, zeros.prefix(10) + [0xFF, 0xFF], 96) || has(bytes, [0, 0x64, 0xFF, 0x9B] + zeros.prefix(8), 96) {
            return reach(ofIPv4: Array(bytes[12...]))
        }
        if has(bytes, [0x20, 0x02], 16) { return reach(ofIPv4: Array(bytes[2..<6])) }
        // Hosts on the internet have addresses in 2000::/3 only. But hosts do not have the
        // addresses that are reserved for protocols, such as Teredo, and for examples in documents.
        let isExample = has(bytes, [0x20, 0x01, 0x0D, 0xB8], 32) || has(bytes, [0x3F, 0xFF, 0], 20)
        let isProtocols = has(bytes, [0x20, 0x01, 0], 23)
        return has(bytes, [0x20], 3) && !isExample && !isProtocols ? .global : .nobody
    }

    private static func has(_ bytes: [UInt8], _ prefix: [UInt8], _ bits: Int) -> Bool {
        let (whole, rest) = bits.quotientAndRemainder(dividingBy: 8)
        guard bytes[..<whole].elementsEqual(prefix.prefix(whole)) else { return false }
        return rest == 0 || (bytes[whole] ^ prefix[whole]) >> (8 - rest) == 0
    }
}
