// SPDX-License-Identifier: GPL-3.0-or-later

internal import BatonTransport
internal import Glibc
internal import NIOCore
internal import NIOPosix

/// Makes writes of any size fit a credit-based channel, where one system call sends one SDU and
/// more than the peer's MTU at once is refused.
///
/// NIO gathers all that was flushed into one system call, so this handler hands it one SDU at a
/// time: the next when that one is written. With ``prepare(_:)`` the channel counts as writable
/// only while it holds no SDU, so writability tells of this handler's queue too: whatever waits
/// here waits behind such an SDU. It must be the first handler, next to the socket.
final class SDUHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private struct Write {
        var bytes: ByteBuffer
        var promise: EventLoopPromise<Void>?
        var isFlushed = false
    }

    /// What NIO holds.
    private enum Outgoing {
        case nothing
        /// An SDU that was written but not flushed, only to make the channel unwritable.
        case held
        case flushed
    }

    private let sendMTU: Int
    private let backlog: Int
    private let onBrokenLink: @Sendable () -> Void
    private var queue = CircularBuffer<Write>()
    private var queuedBytes = 0
    private var outgoing = Outgoing.nothing
    private var failure: (any Error)?

    /// A handler for one channel.
    ///
    /// - Parameters:
    ///   - sendMTU: the largest SDU that the peer takes.
    ///   - backlog: from how many bytes that were written and not flushed on the channel becomes
    ///     unwritable.
    ///   - onBrokenLink: told when the kernel refuses an SDU that fits: nothing but dropping the
    ///     link helps.
    init(sendMTU: Int, backlog: Int = 65_536, onBrokenLink: @escaping @Sendable () -> Void) {
        self.sendMTU = max(1, sendMTU)
        self.backlog = backlog
        self.onBrokenLink = onBrokenLink
    }

    /// Sets a channel so that one SDU in it makes it unwritable.
    static func prepare(_ channel: any Channel) -> EventLoopFuture<Void> {
        channel.setOption(.writeBufferWaterMark, value: .init(low: 1, high: 1))
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if let failure {
            promise?.fail(failure)
            return
        }
        let bytes = unwrapOutboundIn(data)
        queuedBytes += bytes.readableBytes
        queue.append(Write(bytes: bytes, promise: promise))
        if queuedBytes > backlog, outgoing == .nothing { hand(context, flushes: false) }
    }

    func flush(context: ChannelHandlerContext) {
        var index = queue.endIndex
        while index > queue.startIndex {
            index = queue.index(before: index)
            guard !queue[index].isFlushed else { break }
            queue[index].isFlushed = true
        }
        switch outgoing {
        case .nothing: pump(context)
        case .held:
            outgoing = .flushed
            context.flush()
        case .flushed: break
        }
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        // Any shutdown closes a credit-based channel both ways.
        guard mode == .all else {
            promise?.fail(ChannelError.operationUnsupported)
            return
        }
        context.close(mode: mode, promise: promise)
        fail(ChannelError.ioOnClosedChannel)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // So the kernel tells that the peer has closed the channel: its ordinary end, which the
        // channel's close tells as well.
        if let error = error as? IOError, error.errnoCode == ECONNRESET { return }
        context.fireErrorCaught(error)
    }

    func channelInactive(context: ChannelHandlerContext) {
        fail(ChannelError.ioOnClosedChannel)
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { fail(ChannelError.ioOnClosedChannel) }

    // MARK: -

    private func pump(_ context: ChannelHandlerContext) {
        while outgoing == .nothing, let first = queue.first {
            if first.isFlushed {
                hand(context, flushes: true)
            } else if queuedBytes > backlog {
                hand(context, flushes: false)
            } else {
                return
            }
        }
    }

    /// Gives NIO the next SDU; its outcome comes back in ``didWrite(_:_:promises:)``, possibly
    /// before this returns.
    private func hand(_ context: ChannelHandlerContext, flushes: Bool) {
        let (sdu, promises) = takeSDU(flushed: flushes)
        guard sdu.readableBytes > 0 else {
            // Writes of nothing: an SDU of nothing would be one all the same.
            for promise in promises { promise.succeed() }
            return
        }
        outgoing = flushes ? .flushed : .held
        let promise = context.eventLoop.makePromise(of: Void.self)
        let bound = NIOLoopBound((self, context, promises), eventLoop: context.eventLoop)
        promise.futureResult.whenComplete { result in
            let (handler, context, promises) = bound.value
            handler.didWrite(context, result, promises: promises)
        }
        context.write(wrapOutboundOut(sdu), promise: promise)
        if flushes { context.flush() }
    }

    private func didWrite(
        _ context: ChannelHandlerContext, _ result: Result<Void, any Error>, promises: [EventLoopPromise<Void>]
    ) {
        outgoing = .nothing
        switch result {
        case .success:
            // The next SDU goes out before anybody is told, or the channel would look writable with
            // a queue behind it.
            pump(context)
            for promise in promises { promise.succeed() }
        case .failure(let error):
            let error = translate(error)
            let isFirst = failure == nil
            fail(error)
            for promise in promises { promise.fail(error) }
            if isFirst, let broken = error as? TransportError, broken.code == .brokenLink {
                onBrokenLink()
                context.fireErrorCaught(broken)
            }
        }
    }

    /// Takes at most one SDU from the queue: a slice of one write, or several short ones together.
    ///
    /// - Returns: the SDU, and the promises of the writes that end in it.
    private func takeSDU(flushed: Bool) -> (ByteBuffer, [EventLoopPromise<Void>]) {
        var sdu: ByteBuffer?
        var promises: [EventLoopPromise<Void>] = []
        while var write = queue.first, write.isFlushed == flushed {
            let room = sendMTU - (sdu?.readableBytes ?? 0)
            guard room > 0, let slice = write.bytes.readSlice(length: min(room, write.bytes.readableBytes)) else {
                break
            }
            queuedBytes -= slice.readableBytes
            if sdu == nil {
                sdu = slice
            } else {
                sdu?.writeImmutableBuffer(slice)
            }
            guard write.bytes.readableBytes == 0 else {
                queue[queue.startIndex].bytes = write.bytes
                break
            }
            queue.removeFirst()
            if let promise = write.promise { promises.append(promise) }
        }
        return (sdu ?? ByteBuffer(), promises)
    }

    /// Fails what waits and all that follows.
    private func fail(_ error: any Error) {
        if failure == nil { failure = error }
        queuedBytes = 0
        while let write = queue.popFirst() { write.promise?.fail(error) }
    }

    private func translate(_ error: any Error) -> any Error {
        guard let error = error as? IOError, error.errnoCode == EMSGSIZE else { return error }
        return TransportError(
            .brokenLink, "the Bluetooth link refuses data that fits; it is being dropped, try again", cause: "EMSGSIZE")
    }
}
