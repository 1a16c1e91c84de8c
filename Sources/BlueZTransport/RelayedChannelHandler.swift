// SPDX-License-Identifier: GPL-3.0-or-later

internal import BatonTransport
internal import Glibc
internal import NIOCore

/// The handler next to the socket, which reports how a channel that ``SDURelay`` carries has ended.
final class RelayedChannelHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer

    private let outcome: SDURelay.Outcome
    private let gauge: SendGauge
    private let onBrokenLink: @Sendable () -> Void

    /// Creates a handler.
    ///
    /// - Parameter onBrokenLink: Called when the channel's link is broken, so that only
    ///   disconnecting it helps.
    init(_ outcome: SDURelay.Outcome, _ gauge: SendGauge, onBrokenLink: @escaping @Sendable () -> Void) {
        self.outcome = outcome
        self.gauge = gauge
        self.onBrokenLink = onBrokenLink
    }

    /// The report on whether bytes wait for the kernel's socket, and how long the socket has taken
    /// none.
    var delivery: ChannelDelivery { gauge.delivery }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        // A credit-based channel cannot be closed in only one direction.
        guard mode == .all else {
            promise?.fail(ChannelError.operationUnsupported)
            return
        }
        context.close(mode: mode, promise: promise)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Ignore this error. It only means that the relay closed its end of the socket while that
        // end held unread bytes.
        if let error = error as? IOError, [ECONNRESET, EPIPE].contains(error.errnoCode) { return }
        context.fireErrorCaught(error)
    }

    func channelInactive(context: ChannelHandlerContext) {
        if let failure = outcome.failure {
            if failure.code == .brokenLink { onBrokenLink() }
            context.fireErrorCaught(failure)
        }
        context.fireChannelInactive()
    }
}
