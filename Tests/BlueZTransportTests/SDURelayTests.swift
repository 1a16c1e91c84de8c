// SPDX-License-Identifier: GPL-3.0-or-later

import BatonTesting
import BatonTransport
import Glibc
import NIOCore
import NIOEmbedded
import Synchronization
import Testing
import Threads

@testable import BlueZTransport

/// A relay between two pairs of sockets. One pair keeps messages apart, as a credit-based channel
/// does, and the other is a stream, as NIO uses. The ends are read and written on threads of their
/// own.
@Suite(.timeLimit(.minutes(2))) struct SDURelayTests {
    /// The peer's end, and NIO's end.
    private struct Ends: Sendable {
        let peer: CInt
        let own: CInt
        let outcome: SDURelay.Outcome
        let gauge: SendGauge

        /// Writes bytes.
        ///
        /// - Parameter size: The largest number of bytes in one write.
        func write(_ bytes: [UInt8], to descriptor: CInt, by size: Int = .max) async throws {
            try await OwnThread.run {
                var left = bytes[...]
                while !left.isEmpty {
                    let count = left.prefix(size).withUnsafeBytes {
                        send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
                    }
                    guard count > 0 else { return }
                    left = left.dropFirst(count)
                }
            }
        }

        /// Returns the bytes of one read, or nothing at the end.
        func read(_ descriptor: CInt) async throws -> [UInt8] {
            try await OwnThread.run {
                var bytes = [UInt8](repeating: 0, count: 65_536)
                let count = recv(descriptor, &bytes, bytes.count, 0)
                return Array(bytes.prefix(max(0, count)))
            }
        }
    }

    private static func pair(_ type: __socket_type) throws -> (own: CInt, other: CInt) {
        var ends: [CInt] = [-1, -1]
        try #require(socketpair(AF_UNIX, CInt(type.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
        _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
        return (ends[0], ends[1])
    }

    /// Runs a relay, calls the body with its ends, and waits until the relay has ended.
    private func withRelay(mtu: Int = 4, _ body: (Ends) async throws -> Void) async throws {
        let (channel, peer) = try Self.pair(SOCK_SEQPACKET)
        let (socket, own) = try Self.pair(SOCK_STREAM)
        let (outcome, gauge) = (SDURelay.Outcome(), SendGauge())
        async let running: Void = OwnThread.run {
            var relay = SDURelay(
                channel: channel, socket: socket, sendMTU: mtu, receiveMTU: 64, outcome: outcome,
                traffic: ChannelTraffic(clock: SystemClock()), gauge: gauge)
            relay.run()
        }
        try await body(Ends(peer: peer, own: own, outcome: outcome, gauge: gauge))
        try await running
        // Wait until the relay's ends are closed. A program that is being started may keep copies
        // for a moment.
        var entry = pollfd(fd: peer, events: 0, revents: 0)
        #expect(poll(&entry, 1, 10_000) == 1 && entry.revents & Int16(POLLHUP) != 0)
        close(peer)
    }

    @Test("A channel counts as silent while it takes none of the bytes that wait, and no longer when it takes them")
    func gauge() async throws {
        try await withRelay { ends in
            #expect(!ends.gauge.delivery.isWaiting)
            // The peer reads nothing. A sequence of packets of 4 bytes fills its socket.
            async let written: Void = ends.write([UInt8](repeating: 1, count: 4_000), to: ends.own)
            try await eventually("bytes wait") { ends.gauge.delivery.isWaiting }
            let (first, second) = (ends.gauge.delivery.silence, ends.gauge.delivery.silence)
            #expect(second >= first && ends.gauge.delivery.patience == .seconds(2))
            var count = 0
            while count < 4_000 { count += try await ends.read(ends.peer).count }
            try await written
            try await eventually("nothing waits") { !ends.gauge.delivery.isWaiting }
            close(ends.own)
        }
    }

    @Test("Written data becomes SDUs that the peer accepts, and survives the end of NIO's side")
    func slices() async throws {
        try await withRelay { ends in
            try await ends.write([1, 2, 3, 4, 5, 6, 7, 8, 9], to: ends.own)
            close(ends.own)
            var sdus: [[UInt8]] = []
            while case let sdu = try await ends.read(ends.peer), !sdu.isEmpty { sdus.append(sdu) }
            #expect(sdus == [[1, 2, 3, 4], [5, 6, 7, 8], [9]])
            #expect(ends.outcome.failure == nil)
        }
    }

    @Test(
        "Data that NIO wrote before it closed its end arrives even if the peer sends unread data", arguments: 0..<30
    )
    func lastWords(attempt: Int) async throws {
        try await withRelay { ends in
            // Write until both buffers are full, so that the relay is waiting to write to NIO's end
            // when that end is closed.
            _ = fcntl(ends.peer, F_SETFL, O_NONBLOCK)
            let noise = [UInt8](repeating: 7, count: 64)
            var refusals = 0
            while refusals < 100 {
                let count = noise.withUnsafeBytes { send(ends.peer, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
                refusals = count < 0 ? refusals + 1 : 0
                if count < 0 { await Task.yield() }
            }
            _ = fcntl(ends.peer, F_SETFL, 0)
            try await ends.write([1, 2, 3, 4, 5, 6, 7, 8, 9], to: ends.own)
            close(ends.own)
            var bytes: [UInt8] = []
            // A Unix socket first reports the unread data as an error, and then returns the
            // received data.
            for _ in 0..<2 {
                while case let more = try await ends.read(ends.peer), !more.isEmpty { bytes += more }
            }
            #expect(bytes == [1, 2, 3, 4, 5, 6, 7, 8, 9])
            #expect(ends.outcome.failure == nil)
        }
    }

    @Test("The peer's data arrives, even the last before it closes the channel")
    func arrives() async throws {
        try await withRelay { ends in
            for sdu in [[1, 2], [3], [4, 5, 6]] as [[UInt8]] { try await ends.write(sdu, to: ends.peer) }
            shutdown(ends.peer, CInt(SHUT_RDWR))
            var bytes: [UInt8] = []
            while case let more = try await ends.read(ends.own), !more.isEmpty { bytes += more }
            #expect(bytes == [1, 2, 3, 4, 5, 6])
            #expect(ends.outcome.failure == nil)
            close(ends.own)
        }
    }

    @Test("More data than the buffers hold arrives unchanged in both directions at once")
    func bothWaysAtOnce() async throws {
        try await withRelay(mtu: 512) { ends in
            let bytes = (0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
            async let here: Void = ends.write(bytes, to: ends.own)
            async let there: Void = ends.write(bytes, to: ends.peer, by: 64)
            async let received: [UInt8] = {
                var all: [UInt8] = []
                while all.count < bytes.count { all += try await ends.read(ends.peer) }
                return all
            }()
            var own: [UInt8] = []
            while own.count < bytes.count { own += try await ends.read(ends.own) }
            #expect(own == bytes)
            #expect(try await received == bytes)
            _ = try await (here, there)
            close(ends.own)
        }
    }

    @Test("A peer that accepts nothing delays the end of a closed channel only for a while")
    func stuck() async throws {
        try await withRelay { ends in
            _ = fcntl(ends.own, F_SETFL, O_NONBLOCK)
            // Fill both buffers.
            let bytes = [UInt8](repeating: 7, count: 4_096)
            for _ in 0..<200 {
                _ = bytes.withUnsafeBytes { send(ends.own, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
                await Task.yield()
            }
            close(ends.own)
        }
    }

    @Test("If the kernel refuses an SDU within the MTU as too long, a broken link is reported")
    func brokenLink() async throws {
        let isTold = Mutex(false)
        let caught = Catcher()
        try await withRelay(mtu: 1 << 20) { ends in
            // Write more than a Unix socket of packets accepts at once.
            try await ends.write([UInt8](repeating: 1, count: 1 << 20), to: ends.own)
            while ends.outcome.failure == nil {
                try await ends.write([UInt8](repeating: 1, count: 1 << 20), to: ends.own)
            }
            #expect(ends.outcome.failure?.code == .brokenLink)
            let channel = EmbeddedChannel()
            try channel.pipeline.syncOperations.addHandlers([
                RelayedChannelHandler(ends.outcome, ends.gauge) { isTold.withLock { $0 = true } }, caught,
            ])
            channel.pipeline.fireChannelInactive()
            close(ends.own)
        }
        #expect(isTold.withLock { $0 })
        #expect((caught.error as? TransportError)?.code == .brokenLink)
    }

    @Test("A channel can be closed only in both directions")
    func half() throws {
        let channel = EmbeddedChannel(handler: RelayedChannelHandler(SDURelay.Outcome(), SendGauge()) {})
        for mode in [CloseMode.input, .output] {
            #expect(throws: ChannelError.self) { try channel.close(mode: mode).wait() }
        }
        try channel.close().wait()
    }

    private final class Catcher: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        var error: (any Error)?

        func errorCaught(context: ChannelHandlerContext, error: any Error) { self.error = error }
    }
}
