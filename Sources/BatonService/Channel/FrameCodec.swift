// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import NIOCore

/// A frame as it came in.
struct ReceivedFrame: Sendable {
    let frame: Frame
    /// How many bytes it had on the channel.
    let length: Int
}

/// Frames on one side, TLS's bytes on the other.
final class FrameCodec: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ReceivedFrame
    typealias OutboundIn = Frame
    typealias OutboundOut = ByteBuffer

    private var decoder = FrameDecoder()

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        decoder.append(unwrapInboundIn(data).readableBytesView)
        do {
            while let frame = try decoder.next() {
                context.fireChannelRead(wrapInboundOut(ReceivedFrame(frame: frame, length: decoder.lastLength)))
            }
        } catch {
            context.fireErrorCaught(ChannelFailure.violation("\(error)"))
            context.close(promise: nil)
        }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let frame = unwrapOutboundIn(data)
        do {
            context.write(wrapOutboundOut(try encode(frame, context.channel.allocator)), promise: promise)
        } catch {
            promise?.fail(error)
        }
    }

    /// Stream data is copied once, from the app's bytes to what TLS encrypts.
    private func encode(_ frame: Frame, _ allocator: ByteBufferAllocator) throws -> ByteBuffer {
        guard case .data(let data) = frame else { return ByteBuffer(bytes: try FrameEncoder.encode(frame)) }
        let header = FrameEncoder.dataHeader(offset: data.offset, count: data.bytes.count)
        var buffer = allocator.buffer(capacity: header.count + data.bytes.count)
        buffer.writeBytes(header)
        buffer.writeBytes(data.bytes)
        return buffer
    }
}
