// SPDX-License-Identifier: Apache-2.0

import BatonTesting
import BatonTransport
import NIOCore

/// A transport that can be muted. While it is muted, no bytes arrive, as if the other end had left
/// silently, and dials get no answer.
final class MutableTransport<Transport: ChannelTransport>: TransportProxy {
    let transport: Transport
    var proxied: any ChannelTransport { transport }
    /// The dialled endpoints, in order.
    let dialled = Watched<[Endpoint]>([])
    private let muted: Watched<Set<Endpoint>?>

    /// Creates the transport.
    ///
    /// - Parameter muted: The endpoints that do not answer.
    init(_ transport: Transport, muted: Set<Endpoint> = []) {
        self.transport = transport
        self.muted = Watched(muted)
    }

    /// Stops all bytes from arriving.
    func mute() { muted.change { $0 = nil } }

    /// Lets all bytes arrive, and answers the dials that wait.
    func unmute() { muted.change { $0 = [] } }

    /// Makes dials of this endpoint wait from now on.
    func mute(_ endpoint: Endpoint) { muted.change { $0?.insert(endpoint) } }

    /// Lets dials of this endpoint continue.
    func unmute(_ endpoint: Endpoint) { muted.change { $0?.remove(endpoint) } }

    func connect(
        to endpoint: Endpoint, timeout: Duration, initializer: @escaping ChannelInitializer
    ) async throws -> any Channel {
        dialled.change { $0.append(endpoint) }
        // Cancelling the dial also ends this wait.
        try await muted.wait("an answer") { $0?.contains(endpoint) == false ? () : nil }
        return try await transport.connect(to: endpoint, timeout: timeout) { [muted] channel in
            channel.pipeline.addHandler(Muting { muted.value == nil }).flatMap { initializer(channel) }
        }
    }

    func listen(initializer: @escaping AcceptedChannelInitializer) async throws -> any Listener {
        try await transport.listen { [muted] channel, remote in
            channel.pipeline.addHandler(Muting { muted.value == nil }).flatMap { initializer(channel, remote) }
        }
    }

    private final class Muting: ChannelInboundHandler, Sendable {
        typealias InboundIn = Any

        private let isMuted: @Sendable () -> Bool

        init(isMuted: @escaping @Sendable () -> Bool) { self.isMuted = isMuted }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            if !isMuted() { context.fireChannelRead(data) }
        }
    }
}

extension MutableTransport: Radio, RadioProxy where Transport: Radio {
    var radio: any Radio { transport }
}
