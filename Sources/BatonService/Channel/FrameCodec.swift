// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import NIOCore

/// Converts between frames and the bytes of TLS. Closes the channel if the peer does not read what
/// this side sends.
final class FrameCodec: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = EncodedFrame
    typealias OutboundIn = Frame
    typealias OutboundOut = ByteBuffer

    /// The approximate memory of an unwritten frame in addition to its bytes, in bytes.
    static let overhead = 512
    /// The limit on unwritten bytes. An honest peer leaves far fewer unread, because at most 16
    /// replies are on their way to it.
    static let maximumUnwritten = 4 * Frame.maximumLength

    private var decoder = FrameDecoder()
    private var unwritten = 0
    private var failure: ChannelFailure?

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        decoder.append(unwrapInboundIn(data).readableBytesView)
        do {
            while let frame = try decoder.nextEncoded() { context.fireChannelRead(wrapInboundOut(frame)) }
        } catch {
            close(context, .violation("\(error)"))
        }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        do {
            if let failure { throw failure }
            let bytes = try encode(unwrapOutboundIn(data), context.channel.allocator)
            let cost = bytes.readableBytes + Self.overhead
            guard unwritten + cost <= Self.maximumUnwritten else {
                throw close(context, .violation("it does not read what it is sent"))
            }
            let promise = promise ?? context.eventLoop.makePromise()
            unwritten += cost
            promise.futureResult.assumeIsolated().whenComplete { _ in self.unwritten -= cost }
            context.write(wrapOutboundOut(bytes), promise: promise)
        } catch {
            promise?.fail(error)
        }
    }

    @discardableResult
    private func close(_ context: ChannelHandlerContext, _ failure: ChannelFailure) -> ChannelFailure {
        self.failure = failure
        context.fireErrorCaught(failure)
        context.close(promise: nil)
        return failure
    }

    /// Encodes a frame. Stream data is copied once, from the app's bytes to the buffer that TLS
    /// encrypts.
    private func encode(_ frame: Frame, _ allocator: ByteBufferAllocator) throws -> ByteBuffer {
        guard case .data(let data) = frame else { return ByteBuffer(bytes: try FrameEncoder.encode(frame)) }
        let header = FrameEncoder.dataHeader(offset: data.offset, count: data.bytes.count)
        var buffer = allocator.buffer(capacity: header.count + data.bytes.count)
        buffer.writeBytes(header)
        buffer.writeBytes(data.bytes)
        return buffer
    }
}
