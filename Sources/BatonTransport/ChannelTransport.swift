// SPDX-License-Identifier: Apache-2.0

public import NIOCore

/// Prepares a new channel's pipeline before its first byte is read.
///
/// The channel may be active by then; either way `channelActive` is fired exactly once, after the
/// initializer's future.
public typealias ChannelInitializer = @Sendable (any Channel) -> EventLoopFuture<Void>

/// Prepares an accepted channel's pipeline; told where the channel came from, as far as the
/// transport knows.
///
/// The endpoint's port is 0: it names the peer, not something to dial.
public typealias AcceptedChannelInitializer = @Sendable (any Channel, Endpoint) -> EventLoopFuture<Void>

/// Something that dials and accepts channels: reliable, ordered, two-way byte streams, as NIO
/// channels.
///
/// A channel carries `ByteBuffer`s both ways. Closing it may lose what is queued, so ends are
/// acknowledged above. Writes may be of any size: the transport slices them as its medium needs.
/// `ChannelTransportConformance` in BatonTesting is what an implementation must pass.
public protocol ChannelTransport: Sendable {
    /// What decides how the transport is used beside others.
    var traits: TransportTraits { get }

    /// Dials an endpoint; a task that is cancelled meanwhile closes what was begun.
    ///
    /// - Parameter timeout: How long the attempt may take in all.
    /// - Throws: ``TransportError``.
    func connect(to endpoint: Endpoint, timeout: Duration, initializer: @escaping ChannelInitializer) async throws
        -> any Channel

    /// Accepts channels until the listener is closed. A transport has at most one listener at a
    /// time.
    ///
    /// - Throws: ``TransportError``.
    func listen(initializer: @escaping AcceptedChannelInitializer) async throws -> any Listener

    /// Whether an endpoint may be dialled at all: ``connect(to:timeout:initializer:)`` throws
    /// `TransportError(.invalidArgument)` for what is the address of no one host.
    func isDialable(_ endpoint: Endpoint) -> Bool

    /// Whether an endpoint is where this machine reaches others without a router: on the radio, or
    /// in one of its own networks.
    func isNearby(_ endpoint: Endpoint) -> Bool

    /// A name for all addresses that one machine may have if it has the address of this endpoint:
    /// strangers at these addresses share one limit. Nil if a machine has only this address.
    func network(of endpoint: Endpoint) -> String?
}

extension ChannelTransport {
    /// What peers and users are told that this transport is.
    public var kind: TransportKind { traits.kind }

    /// Nil.
    public func network(of endpoint: Endpoint) -> String? { nil }

    /// True: what a radio has heard is a device's.
    public func isDialable(_ endpoint: Endpoint) -> Bool { true }

    /// True: what is heard by radio is near.
    public func isNearby(_ endpoint: Endpoint) -> Bool { true }
}

/// An open door of a ``ChannelTransport``.
public protocol Listener: Sendable {
    /// Where others may dial this listener now, best first. A radio answers with its adapters'
    /// addresses and its PSM.
    func endpoints() async -> [Endpoint]

    /// Stops accepting and returns once the door is shut; channels accepted before stay open.
    func close() async
}
