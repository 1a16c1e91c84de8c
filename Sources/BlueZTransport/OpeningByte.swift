// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
internal import NIOCore

/// The one byte that whoever dials sends first on a credit-based channel, and that whoever accepts drops.
///
/// It is there for the credit that the accepting kernel gives back for it. Kernels keep the identifier of a request on the channel that was accepted by it, and take a later
/// response with the same identifier, to a request of their own, for one to that channel: they then send its data to the other channel's place. bluetoothd
/// requests its enhanced ATT channels on the same link a second later, with identifiers that count from 1, as ours did. The credit uses 1 up. See Documentation/Decisions/0005-opening-byte.md.
enum OpeningByte {
    /// Sends it at once, before anything else is set up: the sooner, the surer. A failure shows at the next write.
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
