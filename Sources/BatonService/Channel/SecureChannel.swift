// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport
import NIOCore

/// A channel whose other end is known and whose frames nobody else can read.
final class SecureChannel: Sendable {
    let channel: any Channel
    let peer: ChannelPeer
    /// The key of the peer's certificate, in X9.63 form.
    let certificateKey: [UInt8]
    /// Where the other end is; the port is 0 on a channel that was accepted.
    let remote: Endpoint
    /// The transport that carries the channel.
    let traits: TransportTraits
    var transport: TransportKind { traits.kind }
    /// When something came from the other end last.
    let signs: SignsOfLife
    private let inbox: NIOLoopBound<FrameInbox>
    private let line: WaitingLine

    init(
        channel: any Channel, peer: ChannelPeer, certificateKey: [UInt8], remote: Endpoint,
        traits: TransportTraits, signs: SignsOfLife, inbox: NIOLoopBound<FrameInbox>, line: WaitingLine
    ) {
        self.channel = channel
        self.peer = peer
        self.certificateKey = certificateKey
        self.remote = remote
        self.traits = traits
        self.signs = signs
        self.inbox = inbox
        self.line = line
    }

    /// Sends a frame; frames go out in the order of the calls.
    func send(_ frame: Frame) { channel.writeAndFlush(frame, promise: nil) }

    /// Sends what was sent before, then closes.
    func close() { channel.close(promise: nil) }

    /// Returns once the channel has closed: what broke it; nil when TLS ended it in order, from
    /// either side.
    func failure() async -> (any Error)? {
        try? await channel.closeFuture.get()
        do { return try await channel.eventLoop.submit { self.inbox.value.failure }.get() } catch { return error }
    }

    /// Passes frames and the end on, on the channel's event loop, from where the last consumer left
    /// off.
    func consume(_ consumer: @escaping @Sendable (FrameInbox.Event) -> Void) {
        channel.eventLoop.execute { self.inbox.value.setConsumer(consumer) }
    }

    /// The inbox itself, for code on the channel's event loop.
    var loopBoundInbox: FrameInbox { inbox.value }

    /// How many frames, and bytes of them, may wait to be taken from ``frames()``. More than an
    /// honest peer sends while one frame is judged: 16 replies, 16 requests, and what it says of
    /// itself now and then.
    static let maximumWaiting = 64
    static let maximumWaitingBytes = 4 * Frame.maximumLength

    /// The frames from where the last consumer left off; ends with the channel. A peer that sends
    /// faster than its frames are taken is closed.
    func frames() -> some AsyncSequence<Frame, Never> & Sendable {
        let line = line
        let arrivals = AsyncStream<Void>(bufferingPolicy: .bufferingOldest(Self.maximumWaiting)) { continuation in
            consume { [inbox] event in
                switch event {
                case .closed: continuation.finish()
                case .frame(let frame):
                    let count = line.put(frame)
                    guard count <= Self.maximumWaitingBytes, case .enqueued = continuation.yield() else {
                        // What follows a frame that is not taken is not to be taken either.
                        continuation.finish()
                        return inbox.value.fail(FrameInbox.tooMany)
                    }
                }
            }
        }
        // Read only now: while a frame waits it is to cost what it counts for.
        let read = arrivals.map { _ in
            line.take().map { encoded in Result { () throws(WireError) in try encoded.decoded() } }
        }
        return read.prefix { $0.map(self.isSound) ?? false }.compactMap { $0.flatMap { try? $0.get() } }
    }

    /// Whether a frame could be read; one that could not be fails the channel.
    private func isSound(_ frame: Result<Frame?, WireError>) -> Bool {
        guard case .failure(let error) = frame else { return true }
        channel.eventLoop.execute { self.inbox.value.fail(ChannelFailure.violation("\(error)")) }
        return false
    }

    /// The next frame, leaving those after it to the next consumer.
    ///
    /// - Throws: ``ChannelFailure`` when the channel ends before, or the time is over.
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

    /// Takes one frame, past those of kinds that this version does not know; nil when the channel
    /// ends before.
    private static func takeNext(from inbox: FrameInbox, _ taken: @escaping (Frame?) -> Void) {
        inbox.takeNext { event in
            guard case .frame(let encoded) = event else { return taken(nil) }
            if let frame = inbox.read(encoded) { taken(frame) } else { takeNext(from: inbox, taken) }
        }
    }
}
