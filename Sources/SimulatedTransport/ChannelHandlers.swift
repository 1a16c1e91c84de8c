// SPDX-License-Identifier: Apache-2.0

import BatonTransport
import NIOCore
import Synchronization

/// The present delay of a channel's outgoing bytes.
///
/// The radio sets the delay, and the channel's event loop reads it.
final class ChannelDelay: Sendable {
    private let value = Mutex(0)

    var milliseconds: Int {
        get { value.withLock { $0 } }
        set { value.withLock { $0 = newValue } }
    }
}

/// A handler that delays written bytes as the conditions say, and keeps their order.
///
/// A close does not wait for delayed bytes, which are then lost.
final class DelayHandler: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let delay: ChannelDelay
    private var lastDue = NIODeadline.uptimeNanoseconds(0)
    private var waiting = CircularBuffer<(due: NIODeadline, data: NIOAny, promise: EventLoopPromise<Void>?)>()

    init(delay: ChannelDelay) { self.delay = delay }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let milliseconds = delay.milliseconds
        guard milliseconds > 0 || !waiting.isEmpty else { return context.write(data, promise: promise) }
        // Keep the order of the writes, although the delay may have become shorter.
        lastDue = max(lastDue, .now() + .milliseconds(Int64(milliseconds)))
        waiting.append((lastDue, data, promise))
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(deadline: lastDue) {
            let (handler, context) = bound.value
            handler.send(context)
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        while let entry = waiting.popFirst() { entry.promise?.fail(ChannelError.ioOnClosedChannel) }
    }

    private func send(_ context: ChannelHandlerContext) {
        let now = NIODeadline.now()
        var hasWritten = false
        while let first = waiting.first, first.due <= now {
            waiting.removeFirst()
            context.write(first.data, promise: first.promise)
            hasWritten = true
        }
        if hasWritten { context.flush() }
    }
}

/// The first byte that the accepting radio sends.
///
/// This byte shows the dialling radio that the channel was accepted.
enum Welcome {
    static let byte: UInt8 = 0x06
}

/// The handler that sends the welcome before anything else, on the accepting side.
final class WelcomingHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    func channelActive(context: ChannelHandlerContext) {
        var buffer = context.channel.allocator.buffer(capacity: 1)
        buffer.writeInteger(Welcome.byte)
        context.writeAndFlush(wrapOutboundOut(buffer), promise: nil)
        context.fireChannelActive()
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
    }
}

/// The handler that reads the one byte of the welcome, on the dialling side.
///
/// The handler reads none of the bytes that are meant for the caller.
final class WelcomedHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    private let promise: EventLoopPromise<Void>
    private var isDone = false

    init(promise: EventLoopPromise<Void>) { self.promise = promise }

    func channelActive(context: ChannelHandlerContext) { context.read() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let isWelcome = unwrapInboundIn(data).readableBytesView.elementsEqual([Welcome.byte])
        finish(isWelcome ? nil : TransportError(.unreachable, "what answered is not a simulated radio"))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { finish(error) }

    func channelInactive(context: ChannelHandlerContext) {
        finish(TransportError(.unreachable, "the radio refused: it does not advertise, or is out of range"))
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        finish(TransportError(.unreachable, "the channel was closed before the radio answered"))
    }

    private func finish(_ error: (any Error)?) {
        guard !isDone else { return }
        isDone = true
        if let error { promise.fail(error) } else { promise.succeed() }
    }
}
