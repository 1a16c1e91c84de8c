// SPDX-License-Identifier: Apache-2.0

import BatonTesting
import Foundation
import Glibc
import Testing

@testable import Baton

/// Tests the thread that waits for the sockets of all streams. Each test has its own thread, which
/// nothing else wakes and which never ends.
@Suite(.timeLimit(.minutes(5))) struct ReadinessPollerTests {
    private let poller = ReadinessPoller()

    private func socketPair() throws -> (own: Int32, other: Int32) {
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
        return (ends[0], ends[1])
    }

    /// Returns after another round of the thread, which then goes to sleep.
    private func round() async throws {
        let (own, other) = try socketPair()
        close(other)
        let (ends, ended) = AsyncStream.makeStream(of: Void.self)
        _ = poller.wait(for: own, events: POLLIN) { ended.yield() }
        for await _ in ends { break }
        close(own)
    }

    /// Waits until the other end of a socket is closed in both directions.
    private func untilHungUp(_ descriptor: Int32) async throws {
        let events = await withCheckedContinuation { waiting in
            Thread.detachNewThread {
                var entry = pollfd(fd: descriptor, events: 0, revents: 0)
                // Do not wait longer than the test may take.
                _ = poll(&entry, 1, 240_000)
                waiting.resume(returning: Int32(entry.revents))
            }
        }
        #expect(events & POLLHUP != 0)
    }

    /// While poll(2) waits for a descriptor, closing the descriptor does not close the file. The
    /// daemon would not notice that this app has stopped reading.
    @Test("A socket can be closed while the poller's thread waits for it")
    func socketWaitedForIsClosed() async throws {
        let (own, other) = try socketPair()
        let socket = StreamSocket(adopting: own, outcome: nil, poller: poller)
        var byte: UInt8 = 1
        #expect(send(other, &byte, 1, 0) == 1)
        guard case .count(1) = socket.read(&byte, 1) else {
            Issue.record("nothing came")
            return
        }
        // After the app has read a little, the rest is drained, which breaks the streams once this
        // side also stops writing.
        socket.endInput()
        #expect(send(other, &byte, 1, 0) == 1)
        try await eventually("the rest is drained") {
            var unread: Int32 = -1
            return ioctl(other, UInt(TIOCOUTQ), &unread) == 0 && unread == 0
        }
        try await round()
        socket.endOutput()
        try await untilHungUp(other)
        close(other)
    }

    @Test("A cancelled wait keeps no descriptor, so its socket can be closed")
    func cancelledWaitHoldsNothing() async throws {
        let (own, other) = try socketPair()
        let wait = poller.wait(for: own, events: POLLIN) {}
        try await round()
        poller.cancel(wait)
        close(own)
        try await untilHungUp(other)
        close(other)
    }
}
