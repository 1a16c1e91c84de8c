// SPDX-License-Identifier: Apache-2.0

import Glibc
import HostAddresses

/// An address of one of this machine's interfaces.
struct InterfaceAddress: Hashable {
    /// The numeric form, without a scope.
    var text: String
    /// The 4 or 16 bytes of the address.
    var bytes: [UInt8]
    var isLoopback = false
    /// Whether there is hardware behind the interface, such as a network card in a bridge.
    ///
    /// Bridges and interfaces for containers have no hardware.
    var isPhysical = true
    /// Whether the interface is connected. A bridge without members is not connected.
    var hasCarrier = true
    /// Whether the interface leads to all other networks.
    var hasDefaultRoute = false
    /// The network mask, in as many bytes as the address has.
    var mask: [UInt8] = []

    /// The maximum number of endpoints that a listener returns.
    static let maximumCount = 16
    /// The largest number of layers of interfaces below an interface that are searched for
    /// hardware.
    ///
    /// For example, a VLAN on a bridge on a bond has three such layers.
    static let maximumLayers = 4

    /// Returns the addresses at which to dial this machine, the best first.
    ///
    /// Addresses of interfaces with a carrier come first. Among these, interfaces with a default
    /// route come first, and then hardware before bridges and tunnels. Private addresses precede
    /// global ones, because a near peer is most likely in the same LAN. IPv4 link-local addresses
    /// come last.
    ///
    /// IPv6 link-local addresses are left out, because their scope is valid only on this machine.
    /// Loopback addresses are left out unless `sharesMachine` is true, because each machine has its
    /// own.
    ///
    /// - Parameter sharesMachine: Whether other devices run on this machine, so that loopback
    ///   addresses reach this device, too.
    static func ranked(_ addresses: [InterfaceAddress], sharesMachine: Bool) -> [String] {
        let far = addresses.filter { !$0.isLoopback && !$0.isLinkLocalV6 }
        let best = far.enumerated().sorted { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) }
            .map(\.element.text)
        guard sharesMachine else { return Array(best.prefix(maximumCount)) }
        let near = addresses.filter(\.isLoopback).map(\.text).prefix(2)
        return Array(best.prefix(maximumCount - near.count) + near)
    }

    /// Returns the addresses of all interfaces now, or none if the kernel does not return them.
    static func current() -> [InterfaceAddress] {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return [] }
        defer { freeifaddrs(first) }
        let routed = RoutingTable.defaultInterfaces()
        return sequence(first: first, next: { $0?.pointee.ifa_next }).compactMap {
            $0.flatMap { Self($0.pointee, defaultInterfaces: routed) }
        }
    }

    /// Returns whether an interface is hardware, or consists of interfaces that include hardware.
    ///
    /// A bridge, a bond or a VLAN may consist of such interfaces. Source:
    /// Documentation/ABI/testing/sysfs-class-net of the kernel.
    ///
    /// - Parameter root: The directory in which the kernel lists interfaces.
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

    /// Returns whether an address is in the same network, so that no router is needed to reach it.
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

    /// The rank of the address's scope: RFC 1918, then RFC 4193, then global, then RFC 3927.
    private var scopeRank: Int {
        if bytes.count == 16 { return bytes[0] & 0xFE == 0xFC ? 1 : 3 }
        switch (bytes[0], bytes[1]) {
        case (10, _), (172, 16...31), (192, 168): return 0
        case (169, 254): return 4
        default: return 2
        }
    }
}

extension InterfaceAddress {
    private init?(_ interface: ifaddrs, defaultInterfaces: Set<String>) {
        guard let address = interface.ifa_addr, interface.ifa_flags & UInt32(IFF_UP) != 0,
            let bytes = HostAddress.bytes(of: address),
            let text = Self.text(CInt(address.pointee.sa_family), bytes)
        else { return nil }
        let name = String(cString: interface.ifa_name)
        self.init(
            text: text, bytes: bytes, isLoopback: interface.ifa_flags & UInt32(IFF_LOOPBACK) != 0,
            isPhysical: Self.hasHardware(name), hasCarrier: interface.ifa_flags & UInt32(IFF_RUNNING) != 0,
            hasDefaultRoute: defaultInterfaces.contains(name),
            mask: interface.ifa_netmask.flatMap(HostAddress.bytes) ?? [])
    }
}
