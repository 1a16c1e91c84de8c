// SPDX-License-Identifier: Apache-2.0

public import LocalNetworks

/// A datagram that came from a host of a local network.
public struct ReceivedDatagram: Hashable, Sendable {
    /// The bytes of the datagram.
    public let bytes: [UInt8]
    /// The 4 or 16 bytes of the sender's address, in network order. It is an address of the
    /// network, and not one of this machine.
    public let source: [UInt8]
    /// The kernel's number for the interface of the network.
    public let interface: UInt32

    /// Creates a datagram.
    public init(bytes: [UInt8], source: [UInt8], interface: UInt32) {
        (self.bytes, self.source, self.interface) = (bytes, source, interface)
    }
}

/// The IP versions.
public enum AddressFamily: Hashable, CaseIterable, Sendable {
    case ipv4
    case ipv6

    /// The length of an address, in bytes.
    public var addressLength: Int { self == .ipv4 ? 4 : 16 }
}

/// Sends datagrams to all hosts of a local network, and receives the datagrams of other hosts.
public protocol DatagramCarrier: Sendable {
    /// The datagrams of other hosts. For one reader. If it is slow, the latest datagrams are lost.
    var received: AsyncStream<ReceivedDatagram> { get }
    /// Whether the kernel refuses to let this program listen, as Linux before 5.7 does.
    var isRefused: Bool { get }
    /// Receives datagrams in these networks, and in no others.
    func listen(in networks: [LocalNetwork])
    /// Sends a datagram into one of the networks of the last call of ``listen(in:)``.
    func send(_ datagram: [UInt8], by family: AddressFamily, in interface: UInt32)
    /// Returns whether a host of a local network has answered this machine at the link layer.
    func answer(of address: [UInt8], on interface: UInt32) -> NeighbourAnswer
}

extension DatagramCarrier {
    /// Asks the kernel.
    public func answer(of address: [UInt8], on interface: UInt32) -> NeighbourAnswer {
        NeighbourAnswer(of: address, on: interface)
    }
}
