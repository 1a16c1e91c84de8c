// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// Lets a listener rest for a second where the kernel gives it no connection, as without a free
/// descriptor.
///
/// The connection goes on waiting, so that the listener stays readable, and SwiftNIO looks again at
/// once: its `AcceptBackoffHandler` delays reads that are asked for, and the one that has failed is
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

    /// It fails where the channel has ended, which needs none.
    private func setReads(_ areOn: Bool, of context: ChannelHandlerContext) {
        try? context.channel.syncOptions?.setOption(.autoRead, value: areOn)
    }
}
