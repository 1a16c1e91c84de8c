// SPDX-License-Identifier: Apache-2.0

import BatonTesting
import BatonTransport
import NIOCore
import Synchronization

/// Channels that can be muted: what the other end sends does not arrive any more, as if it had left
/// without a word, and dials are not answered.
final class MutableTransport<Transport: ChannelTransport>: TransportProxy {
    let transport: Transport
    var proxied: any ChannelTransport { transport }
    /// What was dialled, in order.
    let dialled = Watched<[Endpoint]>([])
    private let muted: Watched<Set<Endpoint>?>

    /// - Parameter muted: Where nobody answers.
    init(_ transport: Transport, muted: Set<Endpoint> = []) {
        self.transport = transport
        self.muted = Watched(muted)
    }

    /// From now on nothing arrives from anywhere.
    func mute() { muted.change { $0 = nil } }

    /// From now on everything arrives, and the dials that wait are answered.
    func unmute() { muted.change { $0 = [] } }

    /// From now on a dial of this endpoint goes on.
    func unmute(_ endpoint: Endpoint) { muted.change { $0?.remove(endpoint) } }

    func connect(
        to endpoint: Endpoint, timeout: Duration, initializer: @escaping ChannelInitializer
    ) async throws -> any Channel {
        dialled.change { $0.append(endpoint) }
        // Or until the dial is given up.
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
