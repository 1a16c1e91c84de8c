// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// A handler that closes an address's connections beyond its ``ConnectionRate``.
///
/// It works in the listener's own pipeline, before a connection has options or handlers. There the
/// connection does not yet take a place in the queue of another event loop, where all others would
/// wait behind it.
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
