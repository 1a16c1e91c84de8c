// SPDX-License-Identifier: Apache-2.0

/// An address and a port to which a channel can be opened.
///
/// The transport defines the meaning of `address` and `port`. Over Bluetooth, they are an address
/// with its type and an LE PSM (`C0:FF:EE:00:00:01/public`, 0x80 to 0xFF). Over TCP, they are an IP
/// address and a port. For a simulated radio, they are its name and PSM.
public struct Endpoint: Hashable, Sendable {
    /// The transport that dials the endpoint.
    public var transport: TransportKind
    /// The address in the transport's own form, at most 128 bytes.
    public var address: String
    /// A PSM or a port.
    public var port: UInt16

    /// Creates an endpoint of a transport.
    public init(transport: TransportKind, address: String, port: UInt16) {
        self.transport = transport
        self.address = address
        self.port = port
    }
}

extension Endpoint: CustomStringConvertible {
    /// The transport, the address and the port, joined by colons. An IPv6 address is in brackets,
    /// because a port follows it.
    public var description: String {
        let isIPv6 = transport == .tcp && address.contains(":")
        return "\(transport.rawValue):\(isIPv6 ? "[\(address)]" : address):\(port)"
    }
}
