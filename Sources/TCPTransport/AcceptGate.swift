// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// Closes what an address connects beyond its ``ConnectionRate``, in the listener's own pipeline:
/// before it has options, handlers or a place in the queue of another event loop, where everybody
/// else would wait behind it.
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
