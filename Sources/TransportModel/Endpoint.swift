// SPDX-License-Identifier: Apache-2.0

/// Where a channel can be dialled.
///
/// `address` and `port` mean what the transport says they mean: a Bluetooth address with its type
/// and an LE PSM (`C0:FF:EE:00:00:01/public`, 0x80 to 0xFF), an IP address and a TCP port, or a
/// name in the simulated radio's directory.
public struct Endpoint: Hashable, Sendable {
    /// The transport that dials it.
    public var transport: TransportKind
    /// The transport's own form of an address, at most 128 bytes.
    public var address: String
    /// A PSM or a port.
    public var port: UInt16

    /// An endpoint of a transport.
    public init(transport: TransportKind, address: String, port: UInt16) {
        self.transport = transport
        self.address = address
        self.port = port
    }
}

extension Endpoint: CustomStringConvertible {
    /// The transport, the address and the port, joined by colons; an IPv6 address has brackets, as
    /// it has wherever a port follows.
    public var description: String {
        let isIPv6 = transport == .tcp && address.contains(":")
        return "\(transport.rawValue):\(isIPv6 ? "[\(address)]" : address):\(port)"
    }
}
