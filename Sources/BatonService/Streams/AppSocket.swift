// SPDX-License-Identifier: Apache-2.0

import Diagnosis
import Glibc
import NIOCore
import NIOPosix

/// The daemon's end of an app's Unix socket, on a channel's event loop.
///
/// The socket's owner gets no more of the app's bytes than it has asked for.
final class AppSocket {
    /// An event on the app's side.
    enum Event {
        case bytes(ArraySlice<UInt8>)
        /// The app has ended its output, and all its bytes have been passed on.
        case ended
        /// The app, whose input had ended, has ended its output or closed its socket.
        ///
        /// The socket does not show which of the two has happened.
        case hungUp
        /// The app's socket has taken this number of bytes.
        case written(Int)
        /// The app has read all bytes, and its input was ended.
        case read
        /// The app closed its socket before it had read all of its input.
        ///
        /// The app abandoned the streams, or crashed.
        case failed
    }

    /// The longest time between two checks of whether the app has read all bytes.
    private static let longestPause = TimeAmount.seconds(1)

    private let channel: any Channel
    /// The unread bytes, or nil once the socket is closed.
    private var unread: UnreadBytes?
    private var nextLook: Scheduled<Void>?
    /// Whether the app closed its socket before it had read all of its input.
    private var wasReset = false
    /// The receiver of events, or nil once the socket is closed. The receiver keeps this socket
    /// alive.
    private var sink: ((Event) -> Void)?
    /// The app's bytes that were not asked for yet: the bytes of one read, and at the end all bytes
    /// that were left in the socket.
    private var waiting = ByteBuffer()
    /// The bytes that were delivered while a write was under way.
    ///
    /// Each pending write costs a few hundred bytes of memory, whatever its length, so there is
    /// only one at a time. When that write has ended, the delivered bytes are written together, in
    /// a buffer that is not used again.
    private var delivered = ByteBuffer()
    private var isWriting = false
    private var allowed = 0
    private var hasEnded = false
    private var hasToldEnd = false
    /// Whether the end of the socket was seen before an end of the app's output (``Event/hungUp``).
    private var hasHungUp = false
    private var isReading = false
    /// Whether this end must be shut once all bytes are written.
    private var hasFinished = false
    private var isShut: Bool { hasFinished && !isWriting }
    private var isClosed: Bool { sink == nil }

    /// The memory for bytes that were not asked for yet, in bytes.
    var capacity: Int { waiting.capacity }

    private init(channel: any Channel, unread: UnreadBytes, sink: @escaping (Event) -> Void) {
        self.channel = channel
        self.unread = unread
        self.sink = sink
    }

    /// Adopts a descriptor.
    ///
    /// - Parameter sink: The receiver of events, on the event loop.
    static func open(
        _ descriptor: OwnedDescriptor, on eventLoop: any EventLoop, sink: @escaping @Sendable (Event) -> Void
    ) -> EventLoopFuture<NIOLoopBound<AppSocket>> {
        guard let raw = descriptor.take() else {
            return eventLoop.makeFailedFuture(BatonError(.limitReached, .descriptorsUsedUp))
        }
        guard let unread = UnreadBytes(raw) else {
            Glibc.close(raw)
            return eventLoop.makeFailedFuture(BatonError(.limitReached, .descriptorsUsedUp))
        }
        let boundUnread = NIOLoopBoundBox(unread, eventLoop: eventLoop)
        return ClientBootstrap(group: eventLoop)
            .channelOption(.autoRead, value: false)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelOption(.maxMessagesPerRead, value: 1)
            .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 65_536))
            .withConnectedSocket(raw)
            .flatMapThrowing { channel in
                let socket = AppSocket(channel: channel, unread: boundUnread.value, sink: sink)
                try channel.pipeline.syncOperations.addHandler(Handler(socket))
                return NIOLoopBound(socket, eventLoop: eventLoop)
            }
    }

    /// Allows at most this number of bytes to be passed on from now on.
    func read(maximum: Int) {
        allowed = maximum
        pump()
    }

    func write(_ bytes: ArraySlice<UInt8>) {
        guard !isClosed else { return }
        delivered.writeBytes(bytes)
        if !isWriting { writeDelivered() }
    }

    /// Ends the app's input, after the bytes that were written.
    func finish() {
        hasFinished = true
        if !isWriting { shut() }
    }

    /// Closes the socket, and reports no more events.
    func close() {
        sink = nil
        nextLook?.cancel()
        unread = nil
        waiting = ByteBuffer()
        delivered = ByteBuffer()
        channel.close(promise: nil)
    }

    private func writeDelivered() {
        let buffer = delivered
        let count = buffer.readableBytes
        delivered = ByteBuffer()
        isWriting = true
        channel.writeAndFlush(buffer).assumeIsolated().whenComplete { result in
            switch result {
            case .success: self.wrote(count)
            case .failure: self.sink?(.failed)
            }
        }
    }

    private func wrote(_ count: Int) {
        sink?(.written(count))
        guard !isClosed else { return }
        isWriting = false
        if delivered.readableBytes > 0 {
            writeDelivered()
        } else if hasFinished {
            shut()
        }
    }

    private func shut() {
        unread?.finish()
        channel.close(mode: .output, promise: nil)
        lookWhetherRead()
    }

    /// Checks whether the app has read everything, at growing intervals. The kernel sends no
    /// notification of that (Decisions/0056).
    private func lookWhetherRead(after pause: TimeAmount = .milliseconds(1)) {
        guard let unread else { return }
        switch wasReset ? .lost : unread.state {
        case .read: sink?(.read)
        case .lost: sink?(.failed)
        case .waiting:
            let bound = NIOLoopBound(self, eventLoop: channel.eventLoop)
            nextLook = channel.eventLoop.scheduleTask(in: pause) {
                bound.value.lookWhetherRead(after: min(pause * 2, Self.longestPause))
            }
        }
    }

    private func pump() {
        while allowed > 0, let bytes = waiting.readBytes(length: min(allowed, waiting.readableBytes)), !bytes.isEmpty {
            allowed -= bytes.count
            sink?(.bytes(bytes[...]))
            if isClosed { return }
        }
        guard waiting.readableBytes == 0 else { return }
        if hasEnded {
            guard !hasToldEnd else { return }
            hasToldEnd = true
            sink?(hasHungUp ? .hungUp : .ended)
        } else if allowed > 0, !isReading {
            isReading = true
            channel.read()
        }
    }

    /// Keeps received bytes until they are asked for.
    ///
    /// An empty buffer is replaced, which frees its memory. Otherwise one buffer would keep all
    /// bytes that ever passed through it.
    private func received(_ buffer: inout ByteBuffer) {
        guard !isClosed else { return }
        if waiting.readableBytes == 0 { waiting = buffer } else { waiting.writeBuffer(&buffer) }
    }

    private func readCompleted() {
        isReading = false
        guard !isClosed else { return }
        pump()
    }

    /// Handles the end of the socket.
    ///
    /// A crash and a close look the same here, so neither may count as an orderly end, which the
    /// app declares with shutdown(SHUT_WR). After this end is shut, the app's shutdown looks like a
    /// close, too. The owner of this socket must then find out what the app did.
    private func sawHangUp() {
        guard !isClosed else { return }
        guard isShut else {
            sink?(.failed)
            return
        }
        hasHungUp = !hasEnded
        sawEnd()
    }

    /// Handles the end of the app's output. The end is orderly only if the app has not closed its
    /// socket.
    private func sawInputClosed() {
        let bound = NIOLoopBound(self, eventLoop: channel.eventLoop)
        // A hang-up causes this event first, so wait for the next turn of the event loop.
        channel.eventLoop.execute {
            guard bound.value.channel.isActive else { return }
            if bound.value.unread?.hasHungUp == true { bound.value.sawHangUp() } else { bound.value.sawEnd() }
        }
    }

    private func sawEnd() {
        guard !isClosed, !hasEnded else { return }
        hasEnded = true
        pump()
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private let socket: AppSocket

        init(_ socket: AppSocket) { self.socket = socket }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            var buffer = unwrapInboundIn(data)
            socket.received(&buffer)
        }

        func channelReadComplete(context: ChannelHandlerContext) { socket.readCompleted() }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if case .inputClosed? = event as? ChannelEvent { socket.sawInputClosed() }
        }

        func channelInactive(context: ChannelHandlerContext) { socket.sawHangUp() }

        /// Closes the channel after a failed read. Promises report failed writes.
        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            // Remember this error, because the socket reports it only once and the channel has
            // already consumed it.
            if (error as? IOError)?.errnoCode == ECONNRESET { socket.wasReset = true }
            context.close(promise: nil)
        }
    }
}
