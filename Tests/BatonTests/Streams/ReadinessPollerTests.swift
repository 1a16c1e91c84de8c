// SPDX-License-Identifier: Apache-2.0

import BatonTesting
import Foundation
import Glibc
import Testing

@testable import Baton

/// The thread that waits for the sockets of all streams; each test has one of its own, which
/// nothing else wakes, and which stays.
@Suite(.timeLimit(.minutes(5))) struct ReadinessPollerTests {
    private let poller = ReadinessPoller()

    private func socketPair() throws -> (own: Int32, other: Int32) {
        var ends: [Int32] = [-1, -1]
        try #require(
            socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
        return (ends[0], ends[1])
    }

    /// Returns when the thread has gone round once more; it goes to sleep then.
    private func round() async throws {
        let (own, other) = try socketPair()
        close(other)
        let (ends, ended) = AsyncStream.makeStream(of: Void.self)
        _ = poller.wait(for: own, events: POLLIN) { ended.yield() }
        for await _ in ends { break }
        close(own)
    }

    /// Returns once the other end of a socket is closed in both directions.
    private func untilHungUp(_ descriptor: Int32) async throws {
        let events = await withCheckedContinuation { waiting in
            Thread.detachNewThread {
                var entry = pollfd(fd: descriptor, events: 0, revents: 0)
                // No longer than the test may take.
                _ = poll(&entry, 1, 240_000)
                waiting.resume(returning: Int32(entry.revents))
            }
        }
        #expect(events & POLLHUP != 0)
    }

    /// poll(2) holds what it waits for, whatever becomes of the number: the daemon would not learn
    /// that this app reads no more.
    @Test("A socket is closed though the poller's thread waits for it")
    func socketWaitedForIsClosed() async throws {
        let (own, other) = try socketPair()
        let socket = StreamSocket(adopting: own, outcome: nil, poller: poller)
        var byte: UInt8 = 1
        #expect(send(other, &byte, 1, 0) == 1)
        guard case .count(1) = socket.read(&byte, 1) else {
            Issue.record("nothing came")
            return
        }
        // Having read a little: from here the rest is drained, which breaks the streams once
        // nothing is written either.
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

    @Test("A wait that was cancelled holds nothing: its socket can be closed")
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
