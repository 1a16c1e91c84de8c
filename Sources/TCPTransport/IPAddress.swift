// SPDX-License-Identifier: Apache-2.0

import Glibc
import HostAddresses

/// Parses IP addresses as endpoints write them.
enum IPAddress {
    /// One host's address and port, in the form that the kernel uses.
    enum Host {
        case v4(sockaddr_in)
        case v6(sockaddr_in6)

        /// The address's 4 or 16 bytes, in network order.
        var bytes: [UInt8] {
            switch self {
            case .v4(let address): withUnsafeBytes(of: address.sin_addr) { [UInt8]($0) }
            case .v6(let address): withUnsafeBytes(of: address.sin6_addr) { [UInt8]($0) }
            }
        }

        /// Returns whether the address leads to this machine, in whatever form it is written.
        ///
        /// - Parameter addresses: The addresses of this machine's interfaces.
        func isOwn(among addresses: Set<HostAddress>) -> Bool {
            let address = HostAddress(bytes: bytes)
            return [address, address.behindTranslator].compactMap(\.self).contains {
                $0.isLoopback || addresses.contains($0)
            }
        }
    }

    /// The longest text that is parsed, in bytes.
    private static let maximumLength = 128

    /// Returns the address of one host, or nil if the text is no such address.
    ///
    /// Returns nil for names, for port 0, and for addresses that do not belong to one host. Also
    /// returns nil for a link-local IPv6 address without an interface of this machine.
    static func host(_ text: String, port: UInt16) -> Host? {
        // C ends a string at a zero byte, and would ignore the text after it.
        guard port != 0, text.utf8.count <= maximumLength, !text.utf8.contains(0) else { return nil }
        if var address = v4(text) {
            guard isHost(address.sin_addr) else { return nil }
            address.sin_port = port.bigEndian
            return .v4(address)
        }
        let parts = text.split(separator: "%", omittingEmptySubsequences: false)
        guard parts.count <= 2, var address = v6(String(parts[0])), isHost(address.sin6_addr) else { return nil }
        if parts.count == 2 {
            guard let scope = scope(String(parts[1])) else { return nil }
            address.sin6_scope_id = scope
        }
        guard address.sin6_scope_id != 0 || !isLinkLocal(address.sin6_addr) else { return nil }
        address.sin6_port = port.bigEndian
        return .v6(address)
    }

    private static func v4(_ text: String) -> sockaddr_in? {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        return inet_pton(AF_INET, text, &address.sin_addr) == 1 ? address : nil
    }

    private static func v6(_ text: String) -> sockaddr_in6? {
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        return inet_pton(AF_INET6, text, &address.sin6_addr) == 1 ? address : nil
    }

    private static func scope(_ text: String) -> UInt32? {
        let index = if_nametoindex(text)
        if index != 0 { return index }
        var name = [CChar](repeating: 0, count: Int(IF_NAMESIZE))
        return UInt32(text).flatMap { if_indextoname($0, &name) != nil ? $0 : nil }
    }

    /// Returns whether an address can belong to one host: whether it is neither in 0/8 ("this
    /// host") nor in 224/3.
    ///
    /// The addresses in 224/3 are multicast, reserved and broadcast addresses.
    private static func isHost(_ address: in_addr) -> Bool {
        let first = UInt32(bigEndian: address.s_addr) >> 24
        return first != 0 && first < 224
    }

    /// Returns whether an address can belong to one host. False for the unspecified address and for
    /// multicast addresses. IPv4-mapped addresses are checked as IPv4 addresses.
    private static func isHost(_ address: in6_addr) -> Bool {
        let bytes = withUnsafeBytes(of: address) { [UInt8]($0) }
        if let mapped = mapped(bytes) { return mapped[0] != 0 && mapped[0] < 224 }
        return bytes[0] != 0xFF && bytes.contains { $0 != 0 }
    }

    /// Returns whether an address is in fe80::/10, which exists on each link separately.
    private static func isLinkLocal(_ address: in6_addr) -> Bool {
        withUnsafeBytes(of: address) { $0[0] == 0xFE && $0[1] & 0xC0 == 0x80 }
    }

    /// Returns the four bytes of an IPv4-mapped address (`::ffff:a.b.c.d`), or nil for other
    /// addresses.
    private static func mapped(_ bytes: [UInt8]) -> [UInt8]? {
        guard bytes.count == 16, bytes[..<10].allSatisfy({ $0 == 0 }), bytes[10] == 0xFF, bytes[11] == 0xFF else {
            return nil
        }
        return Array(bytes[12...])
    }

    /// Returns the /64 network of an IPv6 address as text, or nil for other texts.
    static func network(_ text: String) -> String? {
        guard text.utf8.count <= maximumLength, let address = v6(String(text.prefix { $0 != "%" })) else { return nil }
        return withUnsafeBytes(of: address.sin6_addr) { bytes in
            bytes.prefix(8).map { String($0, radix: 16) }.joined(separator: ":") + "/64"
        }
    }

    /// Returns whether binding failed because IPv6 is not compiled in or is turned off.
    static func meansNoIPv6(_ errno: CInt) -> Bool {
        errno == EAFNOSUPPORT || errno == EADDRNOTAVAIL
    }
}
