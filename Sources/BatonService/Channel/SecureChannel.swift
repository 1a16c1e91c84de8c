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
    var transport: TransportKind { remote.transport }
    private let inbox: NIOLoopBound<FrameInbox>

    init(
        channel: any Channel, peer: ChannelPeer, certificateKey: [UInt8], remote: Endpoint,
        inbox: NIOLoopBound<FrameInbox>
    ) {
        self.channel = channel
        self.peer = peer
        self.certificateKey = certificateKey
        self.remote = remote
        self.inbox = inbox
    }

    /// Sends a frame; frames go out in the order of the calls.
    func send(_ frame: Frame) { channel.writeAndFlush(frame, promise: nil) }

    /// Sends what was sent before, then closes.
    func close() { channel.close(promise: nil) }

    /// Returns once the channel has closed: whether TLS ended it in order, from either side.
    func endedInOrder() async -> Bool {
        try? await channel.closeFuture.get()
        return (try? await channel.eventLoop.submit { !self.inbox.value.isBroken }.get()) ?? false
    }

    /// Passes frames and the end on, on the channel's event loop, from where the last consumer left off.
    func consume(_ consumer: @escaping @Sendable (FrameInbox.Event) -> Void) {
        channel.eventLoop.execute { self.inbox.value.setConsumer(consumer) }
    }

    /// The inbox itself, for code on the channel's event loop.
    var loopBoundInbox: FrameInbox { inbox.value }

    /// The frames from where the last consumer left off; ends with the channel. A peer that sends faster than its frames are taken is closed.
    func frames(limit: Int = 64) -> AsyncStream<Frame> {
        AsyncStream(bufferingPolicy: .bufferingOldest(limit)) { continuation in
            consume { [channel] event in
                switch event {
                case .closed: continuation.finish()
                case .frame(let frame):
                    if case .dropped = continuation.yield(frame) { channel.close(promise: nil) }
                }
            }
        }
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
            inbox.takeNext { event in
                timer.cancel()
                switch event {
                case .frame(let frame): promise.succeed(frame)
                case .closed: promise.fail(ChannelFailure.refused)
                }
            }
        }
        return try await promise.futureResult.get()
    }
}
