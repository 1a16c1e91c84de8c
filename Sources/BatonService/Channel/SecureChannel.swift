// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport
import NIOCore

/// A channel whose peer has proved its identity and whose frames are encrypted.
final class SecureChannel: Sendable {
    let channel: any Channel
    let peer: ChannelPeer
    /// The key of the peer's certificate, in X9.63 form.
    let certificateKey: [UInt8]
    /// The endpoint of the peer. Its port is 0 on an accepted channel.
    let remote: Endpoint
    /// This device's IP address on the channel, or nil if there is none. The address is kept here
    /// because a closed NIO channel no longer knows it.
    let localAddress: String?
    /// The transport that carries the channel.
    private let carrier: any ChannelTransport
    var traits: TransportTraits { carrier.traits }
    var transport: TransportKind { traits.kind }
    /// The record of when the peer was last heard.
    let signs: SignsOfLife
    private let inbox: NIOLoopBound<FrameInbox>
    private let line: WaitingLine

    init(
        channel: any Channel, peer: ChannelPeer, certificateKey: [UInt8], remote: Endpoint,
        carrier: any ChannelTransport, signs: SignsOfLife, inbox: NIOLoopBound<FrameInbox>, line: WaitingLine
    ) {
        self.channel = channel
        self.peer = peer
        self.certificateKey = certificateKey
        self.remote = remote
        localAddress = channel.localAddress?.ipAddress
        self.carrier = carrier
        self.signs = signs
        self.inbox = inbox
        self.line = line
    }

    /// Sends a frame, in the order of the calls.
    func send(_ frame: Frame) { channel.writeAndFlush(frame, promise: nil) }

    /// Closes the channel after the frames of earlier calls.
    func close() { channel.close(promise: nil) }

    /// Closes the channel at once. Frames that wait are lost, and TLS's close_notify is not sent.
    ///
    /// An ordinary close waits until the frames are sent, which never happens on a stalled channel.
    func abandon() {
        channel.eventLoop.execute {
            let below = try? self.channel.pipeline.syncOperations.context(handlerType: SignsOfLifeHandler.self)
            if let below { below.close(promise: nil) } else { self.channel.close(promise: nil) }
        }
    }

    /// Returns a report on whether the bytes of the channel are delivered, or nil if the transport
    /// does not know.
    func delivery() -> EventLoopFuture<ChannelDelivery?> { carrier.delivery(on: channel) }

    /// Waits until the channel has closed. Returns the error that broke the channel, or nil if
    /// either side ended it with TLS's close_notify.
    func failure() async -> (any Error)? {
        try? await channel.closeFuture.get()
        do { return try await channel.eventLoop.submit { self.inbox.value.failure }.get() } catch { return error }
    }

    /// Passes frames and the end to a consumer, on the channel's event loop. Begins where the last
    /// consumer stopped.
    func consume(_ consumer: @escaping @Sendable (FrameInbox.Event) -> Void) {
        channel.eventLoop.execute { self.inbox.value.setConsumer(consumer) }
    }

    /// The inbox, for code on the channel's event loop.
    var loopBoundInbox: FrameInbox { inbox.value }

    /// The limits on frames and bytes that wait in ``frames()``. An honest peer sends less while
    /// one frame is handled: 16 replies, 16 requests and a few hellos.
    static let maximumWaiting = 64
    static let maximumWaitingBytes = 4 * Frame.maximumLength

    /// Returns the frames from where the last consumer stopped until the channel ends. A peer that
    /// sends faster than its frames are taken is cut off.
    func frames() -> some AsyncSequence<Frame, Never> & Sendable {
        let line = line
        let arrivals = AsyncStream<Void>(bufferingPolicy: .bufferingOldest(Self.maximumWaiting)) { continuation in
            consume { [inbox] event in
                switch event {
                case .closed: continuation.finish()
                case .frame(let frame):
                    let count = line.put(frame)
                    guard count <= Self.maximumWaitingBytes, case .enqueued = continuation.yield() else {
                        // After a frame that was refused, accept none of the following frames, so
                        // that the reader sees no gap.
                        continuation.finish()
                        return inbox.value.fail(FrameInbox.tooMany)
                    }
                }
            }
        }
        // Decode only now, because a waiting frame must not use more memory than is counted for it.
        let read = arrivals.map { _ in
            line.take().map { encoded in Result { () throws(WireError) in try encoded.decoded() } }
        }
        return read.prefix { $0.map(self.isSound) ?? false }.compactMap { $0.flatMap { try? $0.get() } }
    }

    /// Returns whether a frame could be decoded. If not, fails the channel.
    private func isSound(_ frame: Result<Frame?, WireError>) -> Bool {
        guard case .failure(let error) = frame else { return true }
        channel.eventLoop.execute { self.inbox.value.fail(ChannelFailure.violation("\(error)")) }
        return false
    }

    /// Returns the next frame. Later frames wait for the next consumer.
    ///
    /// - Throws: ``ChannelFailure`` when the channel ends first, or the time runs out.
    func nextFrame(within timeout: Duration) async throws -> Frame {
        let promise = channel.eventLoop.makePromise(of: Frame.self)
        channel.eventLoop.execute {
            let inbox = self.inbox.value
            let timer = self.channel.eventLoop.assumeIsolated().scheduleTask(in: .init(timeout)) {
                inbox.removeConsumer()
                promise.fail(ChannelFailure.timedOut)
            }
            Self.takeNext(from: inbox) { frame in
                timer.cancel()
                if let frame { promise.succeed(frame) } else { promise.fail(ChannelFailure.refused) }
            }
        }
        return try await promise.futureResult.get()
    }

    /// Takes one frame, and skips kinds that this version does not know. Passes on nil if the
    /// channel ends first.
    private static func takeNext(from inbox: FrameInbox, _ taken: @escaping (Frame?) -> Void) {
        inbox.takeNext { event in
            guard case .frame(let encoded) = event else { return taken(nil) }
            if let frame = inbox.read(encoded) { taken(frame) } else { takeNext(from: inbox, taken) }
        }
    }
}
