// SPDX-License-Identifier: Apache-2.0

public import BatonProtocol
public import BatonTransport
public import NIOCore
public import NIOPosix

/// Channels over TCP, on IPv6 and IPv4.
///
/// The end of a channel is the end of both its directions, as on a credit-based channel: half-closure is off.
public final class TCPTransport: ChannelTransport {
    /// TCP.
    public let kind = TransportKind.tcp
    let port: UInt16
    let includesLoopback: Bool
    let group: any EventLoopGroup

    /// A transport; nothing is opened yet.
    ///
    /// - Parameters:
    ///   - port: the port that ``listen(initializer:)`` binds, on every address; 0 lets the kernel choose.
    ///   - includesLoopback: whether the listener's endpoints name the loopback addresses although there are others:
    ///     for tests, and for several daemons on one machine.
    ///   - group: whose event loops the channels run on.
    public init(
        port: UInt16 = 0, includesLoopback: Bool = false,
        group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton
    ) {
        self.port = port
        self.includesLoopback = includesLoopback
        self.group = group
    }

    /// Dials an IP address (IPv6 link-local ones with their scope) and port.
    public func connect(
        to endpoint: Endpoint, timeout: Duration, initializer: @escaping ChannelInitializer
    ) async throws -> any Channel {
        throw TransportError(.unreachable, "not yet")
    }

    /// Accepts channels on every address of the machine.
    public func listen(initializer: @escaping AcceptedChannelInitializer) async throws -> any Listener {
        throw TransportError(.unreachable, "not yet")
    }
}
