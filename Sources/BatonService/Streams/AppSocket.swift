// SPDX-License-Identifier: Apache-2.0

import Glibc
import NIOCore
import NIOPosix

/// The daemon's end of an app's Unix socket, on a channel's event loop: gives no more of the app's
/// bytes than were asked for.
final class AppSocket {
    /// What the app does.
    enum Event {
        case bytes(ArraySlice<UInt8>)
        /// The app has ended what it sends; what it wrote before has been given.
        case ended
        /// The app, which has seen the end of what it receives, has ended what it sends or is gone:
        /// from here both look the same.
        case hungUp
        /// So many bytes were taken by the app's socket.
        case written(Int)
        /// The app has read all that was written, and what it receives was ended.
        case read
        /// The app closed its socket altogether before it had read all that it receives: it gave
        /// the streams up, or crashed.
        case failed
    }

    /// The longest time between two looks at what the app has read.
    private static let longestPause = TimeAmount.seconds(1)

    private let channel: any Channel
    /// Nil once the socket was closed.
    private var unread: UnreadBytes?
    private var nextLook: Scheduled<Void>?
    /// The app closed its socket, and had not read all.
    private var wasReset = false
    /// Nil once the socket was closed: whoever is told holds this socket too.
    private var sink: ((Event) -> Void)?
    /// What the app has written and nobody has asked for yet: one read, and at the app's end what
    /// was left in its socket.
    private var waiting = ByteBuffer()
    /// What was delivered while a write was under way. Each write costs some hundred bytes,
    /// whatever its length, so there is one at a time; what comes meanwhile goes out together, in a
    /// buffer that is not used again.
    private var delivered = ByteBuffer()
    private var isWriting = false
    private var allowed = 0
    private var hasEnded = false
    private var hasToldEnd = false
    /// The socket was gone before the app had said that it ended.
    private var hasHungUp = false
    private var isReading = false
    /// Whether this end is to be shut, which it is as soon as all is written.
    private var hasFinished = false
    private var isShut: Bool { hasFinished && !isWriting }
    private var isClosed: Bool { sink == nil }

    /// How much memory is set aside for bytes that nobody has asked for yet.
    var capacity: Int { waiting.capacity }

    private init(channel: any Channel, unread: UnreadBytes, sink: @escaping (Event) -> Void) {
        self.channel = channel
        self.unread = unread
        self.sink = sink
    }

    /// Adopts a descriptor.
    ///
    /// - Parameter sink: Told of events, on the event loop.
    static func open(
        _ descriptor: OwnedDescriptor, on eventLoop: any EventLoop, sink: @escaping @Sendable (Event) -> Void
    ) -> EventLoopFuture<NIOLoopBound<AppSocket>> {
        guard let raw = descriptor.take() else {
            return eventLoop.makeFailedFuture(BatonError(.limitReached, "the stream's descriptor is gone"))
        }
        guard let unread = UnreadBytes(raw) else {
            Glibc.close(raw)
            return eventLoop.makeFailedFuture(
                BatonError(.limitReached, "no descriptor is free for the streams; close some of them first"))
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

    /// Gives at most so many bytes from now on.
    func read(maximum: Int) {
        allowed = maximum
        pump()
    }

    /// Writes to the app.
    func write(_ bytes: ArraySlice<UInt8>) {
        guard !isClosed else { return }
        delivered.writeBytes(bytes)
        if !isWriting { writeDelivered() }
    }

    /// Ends what the app receives, after what was written.
    func finish() {
        hasFinished = true
        if !isWriting { shut() }
    }

    /// Closes the socket; nothing is told any more.
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

    /// Looks more and more seldom: the kernel does not tell (Decisions/0056).
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

    /// The room of what was read before is given back: a buffer that is written to and read from
    /// for ever keeps every byte.
    private func received(_ buffer: inout ByteBuffer) {
        guard !isClosed else { return }
        if waiting.readableBytes == 0 { waiting = buffer } else { waiting.writeBuffer(&buffer) }
    }

    private func readCompleted() {
        isReading = false
        guard !isClosed else { return }
        pump()
    }

    /// A crash and a close look the same from here, so neither may pass for an end: that is what
    /// shutdown(SHUT_WR) says. But once this end is shut too, the kernel tells of a shutdown and of
    /// a close alike: then somebody else has to know.
    private func sawHangUp() {
        guard !isClosed else { return }
        guard isShut else {
            sink?(.failed)
            return
        }
        hasHungUp = !hasEnded
        sawEnd()
    }

    /// The app does not write any more: it has said so, if its socket is still there.
    private func sawInputClosed() {
        let bound = NIOLoopBound(self, eventLoop: channel.eventLoop)
        // A hang-up says the same first, and then what it is.
        channel.eventLoop.execute { if bound.value.channel.isActive { bound.value.sawEnd() } }
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

        /// Failed writes are told by their promises; a failed read is an end.
        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            // The channel has taken the error from the socket, which has it once.
            if (error as? IOError)?.errnoCode == ECONNRESET { socket.wasReset = true }
            context.close(promise: nil)
        }
    }
}
