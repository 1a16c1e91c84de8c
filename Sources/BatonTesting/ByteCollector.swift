// SPDX-License-Identifier: Apache-2.0

public import NIOCore
import Synchronization

/// Counts the bytes that a channel receives, and computes their checksum.
///
/// Tests can wait for a number of bytes or for the end.
public final class ByteCollector: Sendable {
    /// The bytes received so far.
    public struct Total: Hashable, Sendable {
        /// The number of bytes.
        public var count = 0
        /// The FNV-1a checksum of all bytes.
        public var checksum: UInt64 = 0xCBF2_9CE4_8422_2325
        /// Whether the channel has ended.
        public var isClosed = false

        /// Creates an empty total.
        public init() {}

        /// Adds bytes.
        public mutating func add(_ bytes: some Sequence<UInt8>) {
            for byte in bytes {
                checksum = (checksum ^ UInt64(byte)) &* 0x100_0000_01B3
                count += 1
            }
        }
    }

    private struct State {
        var total = Total()
        var nextID = 0
        var waiters: [Int: (count: Int, continuation: CheckedContinuation<Total, Never>)] = [:]
    }

    private let state = Mutex(State())

    /// Creates a collector without bytes.
    public init() {}

    /// The bytes received so far.
    public var total: Total { state.withLock(\.total) }

    /// Waits until a total of this many bytes has arrived, the channel has ended, or the task is
    /// cancelled.
    public func wait(forCount count: Int) async -> Total {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let now = state.withLock { state -> Total? in
                    if state.total.count >= count || state.total.isClosed || Task.isCancelled { return state.total }
                    state.waiters[id] = (count, continuation)
                    return nil
                }
                if let now { continuation.resume(returning: now) }
            }
        } onCancel: {
            let (waiter, total) = state.withLock { ($0.waiters.removeValue(forKey: id), $0.total) }
            waiter?.continuation.resume(returning: total)
        }
    }

    /// Waits until the channel has ended, or the task is cancelled.
    public func waitForClose() async -> Total { await wait(forCount: .max) }

    func add(_ buffer: ByteBuffer) { update { $0.add(buffer.readableBytesView) } }

    func end() { update { $0.isClosed = true } }

    private func update(_ change: (inout Total) -> Void) {
        let (due, total) = state.withLock { state in
            change(&state.total)
            let total = state.total
            let due = state.waiters.filter { $0.value.count <= total.count || total.isClosed }
            for id in due.keys { state.waiters[id] = nil }
            return (due.values.map(\.continuation), total)
        }
        for waiter in due { waiter.resume(returning: total) }
    }
}

/// Passes the bytes that a channel receives to a ``ByteCollector``, and optionally sends them back.
public final class CollectingHandler: ChannelInboundHandler {
    /// The bytes that the channel receives.
    public typealias InboundIn = ByteBuffer
    /// The bytes that are sent back.
    public typealias OutboundOut = ByteBuffer

    private let collector: ByteCollector
    private let echoes: Bool

    /// Creates a handler for the end of a pipeline.
    public init(_ collector: ByteCollector, echoes: Bool = false) {
        self.collector = collector
        self.echoes = echoes
    }

    /// Counts the bytes. An echoing handler sends them back.
    public func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let buffer = unwrapInboundIn(data)
        collector.add(buffer)
        if echoes { context.writeAndFlush(wrapOutboundOut(buffer), promise: nil) }
    }

    /// Reports the end of the channel.
    public func channelInactive(context: ChannelHandlerContext) {
        collector.end()
        context.fireChannelInactive()
    }

    /// Closes the channel, because no later handler can handle the error.
    public func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
