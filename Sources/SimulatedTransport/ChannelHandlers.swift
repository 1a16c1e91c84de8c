// SPDX-License-Identifier: Apache-2.0

import BatonTransport
import NIOCore
import Synchronization

/// By how much a channel's outgoing bytes are late just now; the radio sets it, the channel's event
/// loop reads it.
final class ChannelDelay: Sendable {
    private let value = Mutex(0)

    var milliseconds: Int {
        get { value.withLock { $0 } }
        set { value.withLock { $0 = newValue } }
    }
}

/// Sends what is written as late as the conditions say, in order; a close overtakes what still
/// waits, and it is lost.
final class DelayHandler: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let delay: ChannelDelay
    private var lastDue = NIODeadline.uptimeNanoseconds(0)
    private var waiting = CircularBuffer<(due: NIODeadline, data: NIOAny, promise: EventLoopPromise<Void>?)>()

    init(delay: ChannelDelay) {
        self.delay = delay
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let milliseconds = delay.milliseconds
        guard milliseconds > 0 || !waiting.isEmpty else { return context.write(data, promise: promise) }
        // Never before what was written earlier, although the delay may have shrunk.
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

/// What the accepting radio says first, so that the dialling one knows that it was let in.
enum Welcome {
    static let byte: UInt8 = 0x06
}

/// On the accepting side: says welcome before anything else.
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

/// On the dialling side: reads the one byte of welcome, and nothing that is the caller's.
final class WelcomedHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    private let promise: EventLoopPromise<Void>
    private var isDone = false

    init(promise: EventLoopPromise<Void>) {
        self.promise = promise
    }

    func channelActive(context: ChannelHandlerContext) {
        context.read()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let isWelcome = unwrapInboundIn(data).readableBytesView.elementsEqual([Welcome.byte])
        finish(isWelcome ? nil : TransportError(.unreachable, "what answered is not a simulated radio"))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        finish(error)
    }

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
