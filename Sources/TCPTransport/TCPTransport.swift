// SPDX-License-Identifier: Apache-2.0

public import BatonTransport
internal import Glibc
internal import HostAddresses
public import NIOCore
import NIOPosix
import Synchronization

/// A transport whose channels are TCP connections over IPv6 and IPv4.
///
/// A channel always ends in both directions at once, as a credit-based channel does, because
/// half-closure is off.
public final class TCPTransport: ChannelTransport {
    /// The traits of TCP.
    public let traits = TransportTraits.tcp
    private let ports: [UInt16]
    private let sharesMachine: Bool
    private let group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton
    private let rate: ConnectionRate
    private let now: @Sendable () -> NIODeadline
    private let isListening = Mutex(false)

    /// The maximum number of connections that wait to be accepted.
    ///
    /// The kernel drops further connections. The connecting side tries again after one second, and
    /// then after two.
    private static let backlog: CInt = 1_024
    /// The number of connections that are accepted before the event loop does other work.
    private static let acceptedAtOnce: UInt = 64

    /// Creates a transport that opens nothing yet.
    ///
    /// - Parameters:
    ///   - ports: The ports that ``listen(initializer:)`` tries in order. If none of these ports
    ///     can be bound, the kernel chooses a port.
    ///   - sharesMachine: Whether other devices run on this machine, as with the simulated radio
    ///     and in tests. If so, the machine's own addresses may be dialled, and listeners also
    ///     return loopback addresses.
    public convenience init(ports: [UInt16] = [], sharesMachine: Bool = false) {
        self.init(ports: ports, sharesMachine: sharesMachine, connectionsPerSecond: ConnectionRate.usualLimit)
    }

    /// Creates a transport for tests.
    ///
    /// - Parameters:
    ///   - connectionsPerSecond: The maximum number of connections from one address that are
    ///     served in a second.
    ///   - now: The clock that measures that second.
    package init(
        ports: [UInt16] = [], sharesMachine: Bool = false, connectionsPerSecond: Int,
        now: @escaping @Sendable () -> NIODeadline = { .now() }
    ) {
        rate = ConnectionRate(limit: connectionsPerSecond)
        self.now = now
        self.ports = ports
        self.sharesMachine = sharesMachine
    }

    /// Dials an IP address and port. Names are refused, so that no peer can cause a DNS query.
    ///
    /// - Throws: `TransportError` with `.invalidArgument` for an endpoint that ``isDialable(_:)``
    ///   refuses, or with `.unreachable` if nothing answers in time. Also `CancellationError`, and
    ///   the initializer's error.
    public func connect(
        to endpoint: Endpoint, timeout: Duration, initializer: @escaping ChannelInitializer
    ) async throws -> any Channel {
        // A peer may have sent any text as its address, so do not put the text into the message.
        guard let address = host(endpoint)?.socketAddress else {
            throw TransportError(.invalidArgument, "not another machine's IP address and TCP port")
        }
        let eventLoop = group.next()
        return try await dial(
            endpoint.description, timeout: timeout, on: eventLoop, initializer: initializer
        ) { initializer in
            VanishedPeer.options.reduce(ClientBootstrap(group: eventLoop)) {
                $0.channelOption($1.option, value: $1.value)
            }
            .connectTimeout(TimeAmount(timeout))
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer(initializer)
            .connect(to: address)
        }
    }

    /// Accepts channels on every address of the machine, at the first port that can be bound.
    ///
    /// If IPv6 is turned off, the transport serves only IPv4.
    ///
    /// - Throws: `TransportError`, with `.resourceExhausted` if no port is free or the transport
    ///   already listens.
    public func listen(initializer: @escaping AcceptedChannelInitializer) async throws -> any Listener {
        let begins = isListening.withLock { isListening in
            defer { isListening = true }
            return !isListening
        }
        guard begins else { throw TransportError(.resourceExhausted, "this TCP transport listens already") }
        do {
            let channel = try await bindFirst(initializer)
            guard let port = channel.localAddress?.port.flatMap(UInt16.init(exactly:)) else {
                try? await channel.close()
                throw TransportError(.unreachable, "the kernel did not say which TCP port it bound")
            }
            return TCPListener(channel: channel, port: port, sharesMachine: sharesMachine) { [self] in
                isListening.withLock { $0 = false }
            }
        } catch {
            isListening.withLock { $0 = false }
            throw TransportError.translating(error, "cannot listen on any TCP port")
        }
    }

    /// Returns whether an endpoint is the address of one host with a port.
    ///
    /// Addresses of this machine are refused unless other devices run on it, so that no member can
    /// make this machine connect to its own servers.
    public func isDialable(_ endpoint: Endpoint) -> Bool { host(endpoint) != nil }

    private func host(_ endpoint: Endpoint) -> IPAddress.Host? {
        guard endpoint.transport == .tcp, let host = IPAddress.host(endpoint.address, port: endpoint.port),
            sharesMachine || !host.isOwn(among: HostAddress.ofInterfaces())
        else { return nil }
        return host
    }

    /// Returns whether an address is in the network of one of this machine's interfaces.
    public func isNearby(_ endpoint: Endpoint) -> Bool {
        guard let bytes = IPAddress.host(endpoint.address, port: endpoint.port)?.bytes else { return false }
        return InterfaceAddress.current().contains { $0.hasCarrier && $0.isNeighbour(bytes) }
    }

    /// Returns the kernel's information about a connection (TCP_INFO).
    public func delivery(on channel: any Channel) -> EventLoopFuture<ChannelDelivery?> {
        guard let connection = channel as? any SocketOptionProvider else {
            return channel.eventLoop.makeSucceededFuture(nil)
        }
        return TCPInfo.of(connection).map { info -> ChannelDelivery? in ChannelDelivery(info) }.recover { _ in nil }
    }

    /// Returns the network of an IPv6 address, because a machine may use any address in its
    /// network.
    public func network(of endpoint: Endpoint) -> String? { IPAddress.network(endpoint.address) }

    /// Binds the first free port, because another user's Baton or another program may use some of
    /// the ports.
    private func bindFirst(_ initializer: @escaping AcceptedChannelInitializer) async throws -> any Channel {
        for port in ports {
            do {
                return try await bind(port, initializer)
            } catch let error as IOError where error.errnoCode == EADDRINUSE || error.errnoCode == EACCES {}
        }
        return try await bind(0, initializer)
    }

    private func bind(_ port: UInt16, _ initializer: @escaping AcceptedChannelInitializer) async throws -> any Channel {
        do {
            // Linux may be configured to restrict IPv6 sockets to IPv6 (bindv6only), so ask for
            // both versions.
            return try await bootstrap(initializer)
                .serverChannelOption(ChannelOptions.Types.SocketOption(level: .ipv6, name: .ipv6_v6only), value: 0)
                .bind(to: SocketAddress(ipAddress: "::", port: Int(port))).get()
        } catch let error as IOError where IPAddress.meansNoIPv6(error.errnoCode) {
            return try await bootstrap(initializer)
                .bind(to: SocketAddress(ipAddress: "0.0.0.0", port: Int(port))).get()
        }
    }

    private func bootstrap(_ initializer: @escaping AcceptedChannelInitializer) -> ServerBootstrap {
        VanishedPeer.options.reduce(ServerBootstrap(group: group)) { $0.childChannelOption($1.option, value: $1.value) }
            .serverChannelOption(.backlog, value: Self.backlog)
            .serverChannelOption(.maxMessagesPerRead, value: Self.acceptedAtOnce)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelInitializer { [rate, now] channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers(AcceptPause(), AcceptGate(rate, now: now))
                }
            }
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                let address = channel.remoteAddress.flatMap(IPAddress.peer) ?? "unknown"
                return initializer(channel, Endpoint(transport: .tcp, address: address, port: 0))
            }
    }
}

/// The open port of a ``TCPTransport``.
struct TCPListener: Listener {
    let channel: any Channel
    let port: UInt16
    let sharesMachine: Bool
    let onClose: @Sendable () -> Void

    var networkPort: UInt16? { port }

    func endpoints() async -> [Endpoint] { networkEndpoints }

    var networkEndpoints: [Endpoint] {
        InterfaceAddress.ranked(InterfaceAddress.current(), sharesMachine: sharesMachine)
            .map { Endpoint(transport: .tcp, address: $0, port: port) }
    }

    func close() async {
        // Closing a channel a second time fails, which does no harm.
        try? await channel.close()
        onClose()
    }
}
