// SPDX-License-Identifier: Apache-2.0

import BatonTransport
import NIOCore
import NIOPosix

/// An app's end of streams that the app has closed.
///
/// The daemon keeps this end open, so the ``AppSocket`` at the other end does not see that the app
/// may have exited. The app's last bytes are therefore still sent. Both ends are closed together.
enum ClosedEnd {
    /// Keeps an end open, and reads the bytes that still arrive.
    ///
    /// - Parameter unwanted: Called whenever bytes arrive. If nil, all bytes are discarded.
    static func keep(_ end: OwnedDescriptor, on eventLoop: any EventLoop, unwanted: (@Sendable () -> Void)?) {
        guard let raw = end.take() else { return }
        ClientBootstrap(group: eventLoop)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Handler(unwanted))
                }
            }
            .withConnectedSocket(raw)
            .whenFailure { _ in }
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private let unwanted: (@Sendable () -> Void)?

        init(_ unwanted: (@Sendable () -> Void)?) { self.unwanted = unwanted }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) { unwanted?() }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}
