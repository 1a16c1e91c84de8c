// SPDX-License-Identifier: Apache-2.0

/// A network that an Ethernet or Wi-Fi interface of this machine is in, with its cable in or its
/// access point joined.
public struct LocalNetwork: Hashable, Sendable {
    /// An address of this machine in the network.
    public struct Address: Hashable, Sendable {
        /// 4 or 16 bytes, in the network's order.
        public let bytes: [UInt8]
        /// How many of its first bits all addresses of the network have in common.
        public let prefixLength: Int

        init(bytes: [UInt8], prefixLength: Int) {
            (self.bytes, self.prefixLength) = (bytes, prefixLength)
        }
    }

    /// A router that leads to all other networks.
    public struct Gateway: Hashable, Sendable {
        /// 4 or 16 bytes, in the network's order.
        public let address: [UInt8]
        /// The length of the prefix that the router and an address of this machine have in common.
        public let prefixLength: Int
        /// Six bytes; nil until the kernel has asked the router for it.
        public let linkLayerAddress: [UInt8]?
    }

    /// The kernel's number for the interface.
    public let interface: UInt32
    /// The name of the interface.
    public let name: String
    /// Whether one packet can reach all hosts of the network.
    public let hasBroadcast: Bool
    /// The addresses of the interface, at least one, without those that IPv6 is still checking.
    public let addresses: [Address]
    /// Whether the interface leads to all other networks, through a gateway or directly.
    public let hasDefaultRoute: Bool
    /// The gateways, those of IPv4 first, the one that the kernel prefers before others.
    public let gateways: [Gateway]

    /// Whether there are addresses of the link alone and no way out, as on a cable between two
    /// laptops.
    ///
    /// A network looks the same in the seconds until it has given this machine an address. Wait for
    /// that long before you trust a cable.
    public var isLinkLocalOnly: Bool { !hasDefaultRoute && addresses.allSatisfy(\.isLinkLocal) }

    /// Whether an address is in the network, so that it is reached without a router.
    ///
    /// - Parameter address: 4 or 16 bytes, in the network's order.
    public func contains(_ address: [UInt8]) -> Bool { addresses.contains { $0.isNeighbour(of: address) } }
}

extension LocalNetwork.Address {
    /// 169.254/16 (RFC 3927) and fe80::/10 (RFC 4291, 2.5.6).
    public var isLinkLocal: Bool {
        bytes.count == 4 ? bytes[0] == 169 && bytes[1] == 254 : bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80
    }

    /// Whether the prefixes of both are the same.
    func isNeighbour(of other: [UInt8]) -> Bool {
        bytes.count == other.count && Self.prefix(of: bytes, prefixLength) == Self.prefix(of: other, prefixLength)
    }

    /// An address with all bits behind its prefix cleared.
    static func prefix(of address: [UInt8], _ length: Int) -> [UInt8] {
        address.enumerated().map { index, byte in
            let kept = min(max(length - 8 * index, 0), 8)
            return byte & ~UInt8(truncatingIfNeeded: 0xFF >> kept)
        }
    }
}
