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
    /// Whether hardware is behind the interface, as behind a bridge with a network card in it.
    /// Containers' bridges and interfaces have none.
    var isPhysical: Bool
    /// Whether something is at the other end of the interface: a bridge without members has
    /// nothing.
    var hasCarrier: Bool
    /// Whether the interface leads to all other networks.
    var hasDefaultRoute: Bool
    /// As many bytes: which bits all addresses of its network have in common.
    var mask: [UInt8]

    /// How many endpoints a listener names at most.
    static let maximumCount = 16
    /// Through how many interfaces hardware is looked for: a VLAN on a bridge on a bond is three.
    static let maximumLayers = 4

    /// The dialable addresses, best first: those with a carrier, then those with a default route,
    /// then hardware before bridges and tunnels, private before global (a peer that is near is most
    /// likely on the same LAN), IPv4's link-local last.
    ///
    /// IPv6's link-local ones mean nothing without this machine's scope, and loopback means another
    /// machine to everyone else: where there is nothing else, none is named.
    ///
    /// - Parameter sharesMachine: Whether other devices run on this machine, to which loopback
    ///   leads.
    static func ranked(_ addresses: [InterfaceAddress], sharesMachine: Bool) -> [String] {
        let far = addresses.filter { !$0.isLoopback && !$0.isLinkLocalV6 }
        let best = far.enumerated().sorted { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) }
            .map(\.element.text)
        guard sharesMachine else { return Array(best.prefix(maximumCount)) }
        let near = addresses.filter(\.isLoopback).map(\.text).prefix(2)
        return Array(best.prefix(maximumCount - near.count) + near)
    }

    /// What the kernel says now; empty when it says nothing.
    static func current() -> [InterfaceAddress] {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return [] }
        defer { freeifaddrs(first) }
        let routed = RoutingTable.defaultInterfaces()
        return sequence(first: first, next: { $0?.pointee.ifa_next }).compactMap {
            $0.flatMap { Self($0.pointee, defaultInterfaces: routed) }
        }
    }

    private init?(_ interface: ifaddrs, defaultInterfaces: Set<String>) {
        guard let address = interface.ifa_addr, interface.ifa_flags & UInt32(IFF_UP) != 0 else { return nil }
        guard let bytes = HostAddress.bytes(of: address) else { return nil }
        self.bytes = bytes
        self.mask = interface.ifa_netmask.flatMap(HostAddress.bytes) ?? []
        guard let text = Self.text(CInt(address.pointee.sa_family), bytes) else { return nil }
        self.text = text
        self.isLoopback = interface.ifa_flags & UInt32(IFF_LOOPBACK) != 0
        let name = String(cString: interface.ifa_name)
        self.isPhysical = Self.hasHardware(name)
        self.hasCarrier = interface.ifa_flags & UInt32(IFF_RUNNING) != 0
        self.hasDefaultRoute = defaultInterfaces.contains(name)
    }

    init(
        text: String, bytes: [UInt8], isLoopback: Bool = false, isPhysical: Bool = true, hasCarrier: Bool = true,
        hasDefaultRoute: Bool = false, mask: [UInt8] = []
    ) {
        self.text = text
        self.bytes = bytes
        self.isLoopback = isLoopback
        self.isPhysical = isPhysical
        self.hasCarrier = hasCarrier
        self.hasDefaultRoute = hasDefaultRoute
        self.mask = mask
    }

    /// Whether an interface is hardware, or is made of interfaces one of which is, as a bridge, a
    /// bond or a VLAN may be.
    ///
    /// Source: Documentation/ABI/testing/sysfs-class-net of the kernel.
    ///
    /// - Parameter root: Where the kernel tells of interfaces.
    static func hasHardware(_ name: String, in root: String = "/sys/class/net", layers: Int = maximumLayers) -> Bool {
        if access("\(root)/\(name)/device", F_OK) == 0 { return true }
        guard layers > 0, let directory = opendir("\(root)/\(name)") else { return false }
        defer { closedir(directory) }
        while let entry = readdir(directory) {
            let member = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            let prefix = "lower_"
            guard member.hasPrefix(prefix) else { continue }
            if hasHardware(String(member.dropFirst(prefix.count)), in: root, layers: layers - 1) { return true }
        }
        return false
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

    private var rank: Int {
        (hasCarrier ? 0 : 1_000) + (hasDefaultRoute ? 0 : 100) + (isPhysical ? 0 : 10) + scopeRank
    }

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
