// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// A handler that pauses a listener for a second after the kernel fails to accept a connection.
///
/// This happens when no file descriptor is free, for example. The connection still waits, so the
/// listener stays readable, and without a pause SwiftNIO would try again at once. SwiftNIO's
/// `AcceptBackoffHandler` does not help, because it delays only new reads, and the failed read is
/// still under way.
final class AcceptPause: ChannelInboundHandler {
    typealias InboundIn = Channel

    static let length = TimeAmount.seconds(1)
    private var end: Scheduled<Void>?

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard error is IOError else { return context.fireErrorCaught(error) }
        guard end == nil else { return }
        setReads(false, of: context)
        end = context.eventLoop.assumeIsolated().scheduleTask(in: Self.length) { [self] in
            end = nil
            setReads(true, of: context)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        end?.cancel()
        end = nil
        context.fireChannelInactive()
    }

    /// Turns automatic reads on or off. This fails only if the channel has ended, which does not
    /// matter.
    private func setReads(_ areOn: Bool, of context: ChannelHandlerContext) {
        try? context.channel.syncOptions?.setOption(.autoRead, value: areOn)
    }
}
