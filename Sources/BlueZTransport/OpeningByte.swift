// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
internal import NIOCore

/// The one byte that whoever dials sends first on a credit-based channel, and that whoever accepts
/// drops.
///
/// It is there for the credit that the accepting kernel gives back for it: a signalling packet that
/// uses up an identifier which would otherwise be bluetoothd's, and would cost our channel its
/// destination. See Documentation/Decisions/0008-opening-byte.md.
enum OpeningByte {
    /// Sends it at once, before anything else is set up: the sooner, the surer. A failure shows at
    /// the next write.
    static func send(on descriptor: CInt) {
        var value: UInt8 = 0
        _ = write(descriptor, &value, 1)
    }

    /// Drops it, whatever its value.
    final class Dropper: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias InboundOut = ByteBuffer

        private var isDue = true

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard isDue else { return context.fireChannelRead(data) }
            var bytes = unwrapInboundIn(data)
            guard bytes.readableBytes > 0 else { return }
            isDue = false
            bytes.moveReaderIndex(forwardBy: 1)
            if bytes.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(bytes)) }
        }
    }
}
