// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// A handler that closes an address's connections beyond its ``ConnectionRate``.
///
/// The gate is in the listener's own pipeline, where a connection has no options or handlers yet.
/// So a refused connection never enters the queue of another event loop, where it would delay all
/// other connections.
final class AcceptGate: ChannelInboundHandler {
    typealias InboundIn = Channel
    typealias InboundOut = Channel

    private var rate: ConnectionRate
    private let now: @Sendable () -> NIODeadline

    init(_ rate: ConnectionRate, now: @escaping @Sendable () -> NIODeadline) {
        self.rate = rate
        self.now = now
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let accepted = unwrapInboundIn(data)
        guard rate.admits(accepted.remoteAddress.flatMap(IPAddress.peer) ?? "unknown", at: now()) else {
            return accepted.close(promise: nil)
        }
        context.fireChannelRead(data)
    }
}
