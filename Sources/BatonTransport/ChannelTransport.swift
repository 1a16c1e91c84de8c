// SPDX-License-Identifier: Apache-2.0

public import NIOCore

/// A function that prepares a new channel's pipeline before the first byte is read.
///
/// The channel may already be active when the function is called. In any case, NIO fires
/// `channelActive` exactly once, after the function's future completes.
public typealias ChannelInitializer = @Sendable (any Channel) -> EventLoopFuture<Void>

/// A function that prepares an accepted channel's pipeline. The second argument is the peer's
/// endpoint, as far as the transport knows it.
///
/// The port of the endpoint is 0, because the endpoint only identifies the peer and cannot be
/// dialled.
public typealias AcceptedChannelInitializer = @Sendable (any Channel, Endpoint) -> EventLoopFuture<Void>

/// A transport that dials and accepts channels: reliable, ordered, two-way byte streams, as NIO
/// channels.
///
/// A channel carries `ByteBuffer`s in both directions. Closing a channel may lose queued bytes, so
/// the layers above acknowledge the end of a stream. Writes may have any size, because the
/// transport divides them as its medium requires. Every implementation must pass
/// `ChannelTransportConformance` in BatonTesting.
public protocol ChannelTransport: Sendable {
    /// The facts that decide how a service uses this transport alongside others.
    var traits: TransportTraits { get }

    /// Dials an endpoint. If the task is cancelled, closes the unfinished channel.
    ///
    /// - Parameter timeout: How long the whole attempt may take.
    /// - Throws: ``TransportError``.
    func connect(to endpoint: Endpoint, timeout: Duration, initializer: @escaping ChannelInitializer) async throws
        -> any Channel

    /// Accepts channels until the listener is closed. A transport has at most one listener at a
    /// time.
    ///
    /// - Throws: ``TransportError``.
    func listen(initializer: @escaping AcceptedChannelInitializer) async throws -> any Listener

    /// Returns whether an endpoint is the address of exactly one host and may be dialled.
    ///
    /// For all other endpoints ``connect(to:timeout:initializer:)`` throws
    /// `TransportError(.invalidArgument)`.
    func isDialable(_ endpoint: Endpoint) -> Bool

    /// Returns whether this machine reaches an endpoint without a router: over the radio, or in a
    /// network to which the machine is connected.
    func isNearby(_ endpoint: Endpoint) -> Bool

    /// Returns a report on whether the bytes of one of this transport's channels are delivered, or
    /// nil if the transport does not know.
    ///
    /// A service calls this a few times a second while bytes wait.
    func delivery(on channel: any Channel) -> EventLoopFuture<ChannelDelivery?>

    /// Returns a name for the group of addresses that the machine at an endpoint may use, or nil.
    ///
    /// All strangers at addresses of one group share one limit, because they may be one machine.
    /// Nil means that the machine may use only this address.
    func network(of endpoint: Endpoint) -> String?
}

extension ChannelTransport {
    /// The name of this transport, which peers and users see.
    public var kind: TransportKind { traits.kind }

    /// Returns nil, because this transport does not know.
    public func delivery(on channel: any Channel) -> EventLoopFuture<ChannelDelivery?> {
        channel.eventLoop.makeSucceededFuture(nil)
    }

    /// Returns nil, because a machine may use only its own address.
    public func network(of endpoint: Endpoint) -> String? { nil }

    /// Returns true, because each endpoint that a radio has heard is the address of exactly one
    /// device.
    public func isDialable(_ endpoint: Endpoint) -> Bool { true }

    /// Returns true, because every device that a radio hears is near.
    public func isNearby(_ endpoint: Endpoint) -> Bool { true }
}

/// A ``ChannelTransport`` that accepts channels.
public protocol Listener: Sendable {
    /// Returns the endpoints at which others can dial this listener now, the best first. A radio
    /// returns its adapters' addresses with its PSM.
    func endpoints() async -> [Endpoint]

    /// The endpoints of a listener in networks, as ``endpoints()`` returns them; none for radios.
    var networkEndpoints: [Endpoint] { get }

    /// The port that is the same at all addresses of this machine; nil for radios.
    var networkPort: UInt16? { get }

    /// Stops accepting channels, and returns once the listener is closed. Channels that were
    /// accepted earlier stay open.
    func close() async
}

extension Listener {
    /// Empty, because most listeners are not in networks.
    public var networkEndpoints: [Endpoint] { [] }

    /// Nil, because most listeners have no port that is the same at all addresses.
    public var networkPort: UInt16? { nil }
}
