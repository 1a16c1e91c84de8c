// SPDX-License-Identifier: Apache-2.0

package import Glibc

/// The IP address of a host. An IPv6 address that stands for an IPv4 address of the same host is
/// stored as the IPv4 address.
package struct HostAddress: Hashable, Sendable {
    /// The 4 bytes of an IPv4 address, or the 16 of any other IPv6 address, in network byte order.
    package let bytes: [UInt8]

    /// Parses the host of a URL. Returns `nil` for a name.
    ///
    /// - Parameter host: The host. An IPv6 address is in brackets.
    package init?(_ host: String) {
        let isIPv6 = host.hasPrefix("[") && host.hasSuffix("]")
        var bytes = [UInt8](repeating: 0, count: isIPv6 ? 16 : 4)
        let text = isIPv6 ? String(host.dropFirst().dropLast()) : host
        guard inet_pton(isIPv6 ? AF_INET6 : AF_INET, text, &bytes) == 1 else { return nil }
        self.init(bytes: bytes)
    }

    /// Parses the numeric form of an address. Returns nil for a name, and for an address with an
    /// interface (`fe80::1%eth0`).
    package static func parsing(_ text: String) -> HostAddress? {
        HostAddress(text.contains(":") ? "[\(text)]" : text)
    }

    /// The numeric form of the address, or nil if it has neither 4 nor 16 bytes.
    package var text: String? {
        guard [4, 16].contains(bytes.count) else { return nil }
        var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let family = bytes.count == 4 ? AF_INET : AF_INET6
        guard inet_ntop(family, bytes, &buffer, socklen_t(buffer.count)) != nil else { return nil }
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Creates an address from its 4 or 16 bytes in network byte order.
    package init(bytes: [UInt8]) {
        let standsForIPv4 = [Self.mapped, Self.compatible].contains { bytes.count == 16 && bytes.starts(with: $0) }
        self.bytes = standsForIPv4 ? Array(bytes[12...]) : bytes
    }

    /// Whether the address is a loopback address.
    ///
    /// Loopback addresses are 127/8 and `::1`. 0/8 and `::` count too, because the kernel connects
    /// them to this host.
    package var isLoopback: Bool { bytes.count == 4 && [0, 127].contains(bytes[0]) }

    /// The IPv4 address that a translator or a tunnel reaches through this IPv6 address, or nil if
    /// there is none.
    package var behindTranslator: HostAddress? {
        guard bytes.count == 16 else { return nil }
        if bytes.starts(with: Self.sixToFour) { return HostAddress(bytes: Array(bytes[2..<6])) }
        guard bytes.starts(with: Self.nat64) || bytes.starts(with: Self.translated) else { return nil }
        return HostAddress(bytes: Array(bytes[12...]))
    }

    /// `::ffff:a.b.c.d` (RFC 4291, 2.5.5.2).
    private static let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]
    /// `::a.b.c.d` (RFC 4291, 2.5.5.1). This includes `::` and `::1`.
    private static let compatible = [UInt8](repeating: 0, count: 12)
    /// `::ffff:0:a.b.c.d` (RFC 2765, 2.1).
    private static let translated = [UInt8](repeating: 0, count: 8) + [0xFF, 0xFF, 0, 0]
    /// `64:ff9b::a.b.c.d` (RFC 6052, 2.1).
    private static let nat64: [UInt8] = [0, 0x64, 0xFF, 0x9B] + [UInt8](repeating: 0, count: 8)
    /// `2002:aabb:ccdd::` (RFC 3056, 2).
    private static let sixToFour: [UInt8] = [0x20, 0x02]
}

extension HostAddress {
    /// Returns the present addresses of this computer's interfaces.
    package static func ofInterfaces() -> Set<HostAddress> {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return [] }
        defer { freeifaddrs(first) }
        let all = sequence(first: first, next: { $0?.pointee.ifa_next })
        return Set(all.compactMap { $0?.pointee.ifa_addr.flatMap(bytes).map(HostAddress.init(bytes:)) })
    }

    /// Returns the 4 or 16 bytes of an IP socket address in network byte order, or `nil` for any
    /// other address.
    package static func bytes(of address: UnsafeMutablePointer<sockaddr>) -> [UInt8]? {
        switch CInt(address.pointee.sa_family) {
        case AF_INET:
            let address = UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in.self)
            return withUnsafeBytes(of: address.sin_addr) { [UInt8]($0) }
        case AF_INET6:
            let address = UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in6.self)
            return withUnsafeBytes(of: address.sin6_addr) { [UInt8]($0) }
        default: return nil
        }
    }
}
