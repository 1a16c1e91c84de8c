// SPDX-License-Identifier: Apache-2.0

/// A network to which an Ethernet or Wi-Fi interface of this machine is connected.
public struct LocalNetwork: Hashable, Sendable {
    /// An address of this machine in the network.
    public struct Address: Hashable, Sendable {
        /// The 4 or 16 bytes of the address, in network order.
        public let bytes: [UInt8]
        /// The number of first bits that all addresses of the network have in common.
        public let prefixLength: Int

        /// Creates an address.
        public init(bytes: [UInt8], prefixLength: Int) {
            (self.bytes, self.prefixLength) = (bytes, prefixLength)
        }
    }

    /// A router that leads to all other networks.
    public struct Gateway: Hashable, Sendable {
        /// The 4 or 16 bytes of the router's address, in network order.
        public let address: [UInt8]
        /// The length of the prefix that the router and an address of this machine have in common.
        public let prefixLength: Int
        /// The six bytes of the router's link-layer address, or nil if the kernel does not know it.
        public let linkLayerAddress: [UInt8]?

        /// Creates a router.
        public init(address: [UInt8], prefixLength: Int, linkLayerAddress: [UInt8]?) {
            (self.address, self.prefixLength, self.linkLayerAddress) = (address, prefixLength, linkLayerAddress)
        }
    }

    /// The kernel's number for the interface.
    public let interface: UInt32
    /// The name of the interface.
    public let name: String
    /// Whether one packet can reach all hosts of the network.
    public let hasBroadcast: Bool
    /// The addresses of the interface, at least one. Addresses that IPv6 is still checking are left
    /// out.
    public let addresses: [Address]
    /// Whether the interface leads to all other networks, through a gateway or directly.
    public let hasDefaultRoute: Bool
    /// The gateways. IPv4 gateways come before IPv6 gateways. Within a family, the kernel's
    /// preferred gateway comes first.
    public let gateways: [Gateway]

    /// Creates a network.
    public init(
        interface: UInt32, name: String, hasBroadcast: Bool, addresses: [Address], hasDefaultRoute: Bool,
        gateways: [Gateway]
    ) {
        self.interface = interface
        self.name = name
        self.hasBroadcast = hasBroadcast
        self.addresses = addresses
        self.hasDefaultRoute = hasDefaultRoute
        self.gateways = gateways
    }

    /// Whether all addresses are link-local and no route leads out.
    ///
    /// A cable between two laptops is such a network. Every other network looks the same for some
    /// seconds, until it has given this machine an address. Wait that long before treating a
    /// network as a cable.
    public var isLinkLocalOnly: Bool { !hasDefaultRoute && addresses.allSatisfy(\.isLinkLocal) }

    /// Returns whether an address is in the network, so that no router is needed to reach it.
    ///
    /// - Parameter address: 4 or 16 bytes, in network order.
    public func contains(_ address: [UInt8]) -> Bool { addresses.contains { $0.isNeighbour(of: address) } }
}

extension LocalNetwork.Address {
    /// Whether the address is in 169.254/16 (RFC 3927) or fe80::/10 (RFC 4291, 2.5.6).
    public var isLinkLocal: Bool {
        bytes.count == 4 ? bytes[0] == 169 && bytes[1] == 254 : bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80
    }

    /// Returns whether both addresses have the same prefix.
    func isNeighbour(of other: [UInt8]) -> Bool {
        bytes.count == other.count && Self.prefix(of: bytes, prefixLength) == Self.prefix(of: other, prefixLength)
    }

    /// Returns an address with all bits after its prefix cleared.
    static func prefix(of address: [UInt8], _ length: Int) -> [UInt8] {
        address.enumerated().map { index, byte in
            let kept = min(max(length - 8 * index, 0), 8)
            return byte & ~UInt8(truncatingIfNeeded: 0xFF >> kept)
        }
    }
}
