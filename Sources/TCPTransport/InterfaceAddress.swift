// SPDX-License-Identifier: Apache-2.0

import Glibc
import HostAddresses

/// An address of one of this machine's interfaces.
struct InterfaceAddress: Hashable {
    /// The numeric form, without a scope.
    var text: String
    /// 4 or 16 bytes.
    var bytes: [UInt8]
    var isLoopback: Bool
    /// Whether hardware is behind the interface: bridges and containers' interfaces have none.
    var isPhysical: Bool
    /// As many bytes: which bits all addresses of its network have in common.
    var mask: [UInt8]

    /// How many endpoints a listener names at most.
    static let maximumCount = 16

    /// The dialable addresses, best first: hardware before bridges and tunnels, private before
    /// global (a peer that is near is most likely on the same LAN), IPv4's link-local last. IPv6's
    /// link-local ones mean nothing without this machine's scope.
    static func ranked(_ addresses: [InterfaceAddress], sharesMachine: Bool) -> [String] {
        let far = addresses.filter { !$0.isLoopback && !$0.isLinkLocalV6 }
        let loopback = addresses.filter(\.isLoopback)
        let best = far.enumerated().sorted { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) }
            .map(\.element.text)
        guard sharesMachine || best.isEmpty else { return Array(best.prefix(maximumCount)) }
        let near = loopback.map(\.text).prefix(2)
        return Array(best.prefix(maximumCount - near.count) + near)
    }

    /// What the kernel says now; empty when it says nothing.
    static func current() -> [InterfaceAddress] {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return [] }
        defer { freeifaddrs(first) }
        return sequence(first: first, next: { $0?.pointee.ifa_next }).compactMap { $0.flatMap { Self($0.pointee) } }
    }

    private init?(_ interface: ifaddrs) {
        guard let address = interface.ifa_addr, interface.ifa_flags & UInt32(IFF_UP) != 0 else { return nil }
        guard let bytes = HostAddress.bytes(of: address) else { return nil }
        self.bytes = bytes
        self.mask = interface.ifa_netmask.flatMap(HostAddress.bytes) ?? []
        guard let text = Self.text(CInt(address.pointee.sa_family), bytes) else { return nil }
        self.text = text
        self.isLoopback = interface.ifa_flags & UInt32(IFF_LOOPBACK) != 0
        self.isPhysical = access("/sys/class/net/\(String(cString: interface.ifa_name))/device", F_OK) == 0
    }

    init(text: String, bytes: [UInt8], isLoopback: Bool = false, isPhysical: Bool = true, mask: [UInt8] = []) {
        self.text = text
        self.bytes = bytes
        self.isLoopback = isLoopback
        self.isPhysical = isPhysical
        self.mask = mask
    }

    /// Whether an address is in the same network: reached without a router.
    func isNeighbour(_ other: [UInt8]) -> Bool {
        guard bytes.count == other.count, mask.count == bytes.count else { return bytes == other }
        return zip(mask, zip(bytes, other)).allSatisfy { mask, pair in (pair.0 ^ pair.1) & mask == 0 }
    }

    private static func text(_ family: CInt, _ bytes: [UInt8]) -> String? {
        var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_ntop(family, bytes, &buffer, socklen_t(buffer.count)) != nil else { return nil }
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private var isLinkLocalV6: Bool { bytes.count == 16 && bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80 }

    private var rank: Int { (isPhysical ? 0 : 10) + scopeRank }

    /// RFC 1918, then RFC 4193, then what is global, then RFC 3927.
    private var scopeRank: Int {
        if bytes.count == 16 { return bytes[0] & 0xFE == 0xFC ? 1 : 3 }
        switch (bytes[0], bytes[1]) {
        case (10, _), (172, 16...31), (192, 168): return 0
        case (169, 254): return 4
        default: return 2
        }
    }
}
