// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import NIOCore

/// The end of a secure channel's pipeline. The inbox keeps the first frames until there is a
/// consumer. Then it passes each frame on at once.
final class FrameInbox: ChannelInboundHandler {
    typealias InboundIn = EncodedFrame

    /// An event of a channel.
    enum Event: Sendable {
        case frame(EncodedFrame)
        /// The channel closed. This is the last event.
        case closed
    }

    /// The limits on frames and bytes that wait for a consumer. A peer that sends more before there
    /// is a consumer is cut off. The limit on bytes leaves room for two frames of the maximum
    /// length.
    private static let maximumWaiting = 16
    static let maximumWaitingBytes = 2 * Frame.maximumLength

    static let tooMany = ChannelFailure.violation("it sends faster than its frames are taken")

    /// The line that counts the frames that wait in this inbox, and holds the frames that wait in
    /// ``SecureChannel/frames()``.
    let line: WaitingLine
    private var consumer: ((Event) -> Void)?
    private var waiting: [Event] = []
    private var waitingBytes: Int {
        waiting.reduce(0) { sum, event in if case .frame(let frame) = event { sum + frame.count } else { sum } }
    }
    private var isClosed = false
    /// The first error of the channel, for example a rule that the peer broke; nil if TLS's
    /// close_notify ended the channel. Use this on the channel's event loop.
    private(set) var failure: (any Error)?
    private var context: ChannelHandlerContext?

    /// Creates an inbox whose frames count together with the frames of other channels.
    init(in frames: WaitingFrames) { line = WaitingLine(in: frames) }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        close()
        consumer = nil
        // Break the reference cycle. The closure refers to this inbox, which owns the line.
        line.onCut(nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        // After a frame that was refused, accept none of the following frames, so that the consumer
        // sees no gap.
        guard failure == nil else { return }
        guard consumer != nil || mayWait(frame) else { return fail(Self.tooMany) }
        pass(.frame(frame))
    }

    func channelInactive(context: ChannelHandlerContext) {
        close()
        context.fireChannelInactive()
    }

    /// Closes the channel. The consumer learns only that the channel has ended.
    func errorCaught(context: ChannelHandlerContext, error: any Error) { fail(error) }

    /// Closes the channel because of the peer's fault, and accepts no more frames. Call this on
    /// the channel's event loop.
    func fail(_ error: any Error) {
        if failure == nil { failure = error }
        context?.close(promise: nil)
    }

    /// Decodes a frame that was taken. Call this on the channel's event loop.
    ///
    /// - Returns: Nil for a kind that this version does not know, and for a broken frame. A broken
    ///   frame fails the channel, so that no frame after it is taken.
    func read(_ encoded: EncodedFrame) -> Frame? {
        do {
            return try encoded.decoded()
        } catch {
            dropWaiting()
            fail(ChannelFailure.violation("\(error)"))
            return nil
        }
    }

    /// Passes the channel's events to a consumer, beginning with the first that waits. Call this on
    /// the channel's event loop.
    func setConsumer(_ consumer: @escaping (Event) -> Void) {
        self.consumer = consumer
        while !waiting.isEmpty { consumer(takeFirst()) }
        // No more events come. Release the consumer, because it refers to this inbox.
        if isClosed { self.consumer = nil }
    }

    /// Passes one event to a consumer. Later events wait for the next consumer. Call this on the
    /// channel's event loop.
    func takeNext(_ consumer: @escaping (Event) -> Void) {
        guard waiting.isEmpty else { return consumer(takeFirst()) }
        self.consumer = { [unowned self] event in
            self.consumer = nil
            consumer(event)
        }
    }

    /// Removes the consumer, so that the next events wait for another consumer. Call this on the
    /// channel's event loop.
    func removeConsumer() { consumer = nil }

    private func mayWait(_ frame: EncodedFrame) -> Bool {
        waiting.count < Self.maximumWaiting && waitingBytes + frame.count <= Self.maximumWaitingBytes
    }

    private func takeFirst() -> Event {
        let event = waiting.removeFirst()
        if case .frame(let frame) = event { line.add(-frame.count) }
        return event
    }

    /// Fails the channel and drops its waiting frames, because too many bytes wait in all channels
    /// together. Call this on the channel's event loop.
    func cut() {
        dropWaiting()
        fail(Self.tooMany)
    }

    private func dropWaiting() {
        line.add(-waitingBytes)
        waiting.removeAll { if case .frame = $0 { true } else { false } }
    }

    private func close() {
        guard !isClosed else { return }
        isClosed = true
        pass(.closed)
    }

    private func pass(_ event: Event) {
        if let consumer { return consumer(event) }
        if case .frame(let frame) = event { line.add(frame.count) }
        waiting.append(event)
    }
}
