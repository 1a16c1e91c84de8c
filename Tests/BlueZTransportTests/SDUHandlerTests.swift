// SPDX-License-Identifier: GPL-3.0-or-later

import BatonTransport
import Glibc
import NIOCore
import NIOEmbedded
import NIOPosix
import Synchronization
import Testing

@testable import BlueZTransport

/// Holds every write back until told how it went, as a socket without room does.
private final class SlowSocket: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer
    var sdus: [(bytes: [UInt8], promise: EventLoopPromise<Void>?)] = []
    var flushes = 0

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        sdus.append((Array(unwrapOutboundIn(data).readableBytesView), promise))
    }

    func flush(context: ChannelHandlerContext) { flushes += 1 }
}

@Suite struct SDUHandlerTests {
    private let channel = EmbeddedChannel()
    private let socket = SlowSocket()

    private func add(mtu: Int = 4, backlog: Int = 1_000, onBrokenLink: @escaping @Sendable () -> Void = {}) throws {
        try channel.pipeline.syncOperations.addHandler(socket)
        try channel.pipeline.syncOperations.addHandler(
            SDUHandler(sendMTU: mtu, backlog: backlog, onBrokenLink: onBrokenLink))
        try channel.connect(to: SocketAddress(unixDomainSocketPath: "/nowhere")).wait()
    }

    private func write(_ bytes: [UInt8]) -> EventLoopFuture<Void> { channel.write(ByteBuffer(bytes: bytes)) }

    /// How a write went, once that is known.
    private func outcome(of future: EventLoopFuture<Void>) -> Outcome {
        let outcome = Outcome()
        future.whenComplete { outcome.set($0) }
        return outcome
    }

    private final class Outcome: Sendable {
        private let value = Mutex<Result<Void, any Error>?>(nil)
        func set(_ result: Result<Void, any Error>) { value.withLock { $0 = result } }
        var isPending: Bool { value.withLock { $0 == nil } }
        var isSuccess: Bool { value.withLock { if case .success = $0 { true } else { false } } }
        var error: (any Error)? { value.withLock { if case .failure(let error) = $0 { error } else { nil } } }
    }

    @Test func longWritesAreSlicedToTheMTUOneInFlight() throws {
        try add()
        let written = outcome(of: write([1, 2, 3, 4, 5, 6, 7, 8, 9]))
        channel.flush()
        #expect(socket.sdus.map(\.bytes) == [[1, 2, 3, 4]])
        socket.sdus[0].promise?.succeed()
        #expect(socket.sdus.map(\.bytes) == [[1, 2, 3, 4], [5, 6, 7, 8]])
        socket.sdus[1].promise?.succeed()
        #expect(written.isPending)
        #expect(socket.sdus.last?.bytes == [9])
        socket.sdus[2].promise?.succeed()
        #expect(written.isSuccess)
        #expect(socket.flushes == 3)
    }

    @Test func shortWritesShareAnSDUAndEachPromiseWaitsForItsLastByte() throws {
        try add()
        let first = outcome(of: write([1, 2]))
        let second = outcome(of: write([3, 4, 5]))
        channel.flush()
        #expect(socket.sdus.map(\.bytes) == [[1, 2, 3, 4]])
        socket.sdus[0].promise?.succeed()
        #expect(first.isSuccess)
        #expect(second.isPending)
        socket.sdus[1].promise?.succeed()
        #expect(second.isSuccess)
    }

    @Test func nothingLeavesBeforeAFlush() throws {
        try add()
        _ = write([1, 2, 3])
        #expect(socket.sdus.isEmpty)
        channel.flush()
        _ = write([4])
        #expect(socket.sdus.map(\.bytes) == [[1, 2, 3]])
        socket.sdus[0].promise?.succeed()
        #expect(socket.sdus.count == 1)
        channel.flush()
        #expect(socket.sdus.last?.bytes == [4])
    }

    @Test func emptyWritesSucceedInTheirTurnWithoutAnSDU() throws {
        try add()
        let alone = outcome(of: channel.writeAndFlush(ByteBuffer()))
        #expect(alone.isSuccess)
        _ = write([1])
        let behind = outcome(of: write([]))
        channel.flush()
        #expect(behind.isPending)
        socket.sdus[0].promise?.succeed()
        #expect(behind.isSuccess)
        #expect(socket.sdus.count == 1)
    }

    /// The socket's channel counts as unwritable while it holds an SDU, so a backlog of unflushed
    /// bytes must put one there.
    @Test func aBacklogThatIsNotFlushedHoldsAnSDUInTheChannel() throws {
        try add(backlog: 6)
        _ = write([1, 2, 3])
        #expect(socket.sdus.isEmpty)
        _ = write([4, 5, 6, 7])
        #expect(socket.sdus.map(\.bytes) == [[1, 2, 3, 4]])
        #expect(socket.flushes == 0)
        channel.flush()
        #expect(socket.flushes == 1)
        socket.sdus[0].promise?.succeed()
        #expect(socket.sdus.last?.bytes == [5, 6, 7])
    }

    /// What waits behind an SDU must be handed over before anybody learns that it has left, or they
    /// would write without end.
    @Test func theNextSDUIsHandedOverBeforeAPromiseIsKept() throws {
        try add()
        let count = NIOLoopBoundBox(0, eventLoop: channel.eventLoop)
        let socket = NIOLoopBound(socket, eventLoop: channel.eventLoop)
        write([1, 2, 3, 4]).whenSuccess { count.value = socket.value.sdus.count }
        _ = write([5])
        channel.flush()
        self.socket.sdus[0].promise?.succeed()
        #expect(count.value == 2)
    }

    @Test func anSDURefusedBelowTheMTUIsABrokenLink() throws {
        let counter = Counter()
        try add { counter.count.withLock { $0 += 1 } }
        let first = outcome(of: write([1, 2, 3, 4, 5]))
        let second = outcome(of: write([6]))
        channel.flush()
        socket.sdus[0].promise?.fail(IOError(errnoCode: EMSGSIZE, reason: "write"))
        for outcome in [first, second, outcome(of: write([7]))] {
            #expect((outcome.error as? TransportError)?.code == .brokenLink)
        }
        #expect(counter.count.withLock { $0 } == 1)
        let error = #expect(throws: TransportError.self) { try channel.throwIfErrorCaught() }
        #expect(error?.code == .brokenLink)
    }

    private final class Counter: Sendable { let count = Mutex(0) }

    @Test func otherErrorsFailEveryWriteAndBreakNoLink() throws {
        let counter = Counter()
        try add { counter.count.withLock { $0 += 1 } }
        let first = outcome(of: write([1, 2, 3, 4, 5]))
        channel.flush()
        socket.sdus[0].promise?.fail(IOError(errnoCode: ECONNRESET, reason: "write"))
        #expect((first.error as? IOError)?.errnoCode == ECONNRESET)
        #expect(counter.count.withLock { $0 } == 0)
    }

    /// The kernel tells of the peer's close by ECONNRESET; anything else is an error.
    @Test func thePeersCloseIsNoError() throws {
        try add()
        channel.pipeline.fireErrorCaught(IOError(errnoCode: ECONNRESET, reason: "read"))
        try channel.throwIfErrorCaught()
        channel.pipeline.fireErrorCaught(IOError(errnoCode: ETIMEDOUT, reason: "read"))
        #expect(throws: IOError.self) { try channel.throwIfErrorCaught() }
    }

    @Test func closingFailsWhatWaits() throws {
        try add()
        let first = outcome(of: write([1, 2, 3, 4, 5]))
        channel.flush()
        _ = try channel.finish(acceptAlreadyClosed: true)
        socket.sdus[0].promise?.fail(ChannelError.ioOnClosedChannel)
        #expect(first.error as? ChannelError == .ioOnClosedChannel)
    }

    @Test func halfACloseIsRefused() throws {
        try add()
        #expect(throws: ChannelError.operationUnsupported) { try channel.close(mode: .output).wait() }
        #expect(channel.isActive)
    }
}
