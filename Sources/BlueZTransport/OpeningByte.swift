// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
internal import NIOCore

/// The first byte on a credit-based channel, which the dialler sends and the accepting side drops.
///
/// The accepting kernel answers this byte with a credit. The signalling packet for the credit uses
/// up an identifier. If bluetoothd used that identifier instead, Baton's channel would lose its
/// destination (Documentation/Decisions/0008-opening-byte.md).
enum OpeningByte {
    /// Sends the byte. Call this function before the rest of the channel is set up, because a delay
    /// makes the byte less effective. A failure shows at the next write.
    static func send(on descriptor: CInt) {
        var value: UInt8 = 0
        _ = write(descriptor, &value, 1)
    }

    /// Drops the byte, whatever its value.
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
