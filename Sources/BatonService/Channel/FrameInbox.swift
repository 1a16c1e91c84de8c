// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import NIOCore

/// The end of a secure channel's pipeline: keeps the first frames until somebody takes them, then
/// passes each on at once.
final class FrameInbox: ChannelInboundHandler {
    typealias InboundIn = EncodedFrame

    /// What a channel brings.
    enum Event: Sendable {
        case frame(EncodedFrame)
        /// The last event.
        case closed
    }

    /// Frames that may wait for a consumer, and bytes; who sends more before anybody has answered
    /// is closed. There is room for the longest frame, and as much again for what comes after it.
    private static let maximumWaiting = 16
    static let maximumWaitingBytes = 2 * Frame.maximumLength

    static let tooMany = ChannelFailure.violation("it sends faster than its frames are taken")

    /// What waits here, and in what ``SecureChannel/frames()`` returns.
    let line: WaitingLine
    private var consumer: ((Event) -> Void)?
    private var waiting: [Event] = []
    private var waitingBytes: Int {
        waiting.reduce(0) { sum, event in if case .frame(let frame) = event { sum + frame.count } else { sum } }
    }
    private var isClosed = false
    /// Why the channel was cut, or which rule was broken; nil unless that is so, and TLS's
    /// close_notify ends it. On the channel's event loop.
    private(set) var failure: (any Error)?
    private var context: ChannelHandlerContext?

    /// An inbox whose frames count among those of other channels.
    init(in frames: WaitingFrames) { line = WaitingLine(in: frames) }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        close()
        consumer = nil
        // It refers to this inbox, which has the line.
        line.onCut(nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        // What follows a frame that is not taken is not to be taken either.
        guard failure == nil else { return }
        guard consumer != nil || mayWait(frame) else { return fail(Self.tooMany) }
        pass(.frame(frame))
    }

    func channelInactive(context: ChannelHandlerContext) {
        close()
        context.fireChannelInactive()
    }

    /// Errors were judged below; the channel closes, which is what a consumer needs to know.
    func errorCaught(context: ChannelHandlerContext, error: any Error) { fail(error) }

    /// Closes the channel for what the peer has done; nothing more is taken in. On the channel's
    /// event loop.
    func fail(_ error: any Error) {
        if failure == nil { failure = error }
        context?.close(promise: nil)
    }

    /// Reads a frame that was taken. On the channel's event loop.
    ///
    /// - Returns: Nil for a kind that this version does not know, and for a broken one, which fails
    ///   the channel: nothing that waits behind it is taken either.
    func read(_ encoded: EncodedFrame) -> Frame? {
        do {
            return try encoded.decoded()
        } catch {
            dropWaiting()
            fail(ChannelFailure.violation("\(error)"))
            return nil
        }
    }

    /// Takes the channel's events from the first that nobody has taken. On the channel's event
    /// loop.
    func setConsumer(_ consumer: @escaping (Event) -> Void) {
        self.consumer = consumer
        while !waiting.isEmpty { consumer(takeFirst()) }
        // Nothing more comes, and a consumer refers to this inbox.
        if isClosed { self.consumer = nil }
    }

    /// Takes one event, and has those after it wait for the next consumer. On the channel's event
    /// loop.
    func takeNext(_ consumer: @escaping (Event) -> Void) {
        guard waiting.isEmpty else { return consumer(takeFirst()) }
        self.consumer = { [unowned self] event in
            self.consumer = nil
            consumer(event)
        }
    }

    /// Has the next events wait for another consumer. On the channel's event loop.
    func removeConsumer() { consumer = nil }

    private func mayWait(_ frame: EncodedFrame) -> Bool {
        waiting.count < Self.maximumWaiting && waitingBytes + frame.count <= Self.maximumWaitingBytes
    }

    private func takeFirst() -> Event {
        let event = waiting.removeFirst()
        if case .frame(let frame) = event { line.add(-frame.count) }
        return event
    }

    /// Ends the channel because too much waits in all of them; nothing of it is taken any more. On
    /// the channel's event loop.
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
