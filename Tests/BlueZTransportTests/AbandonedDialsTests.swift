// SPDX-License-Identifier: GPL-3.0-or-later

import BatonTesting
import Foundation
import Glibc
import Testing

@testable import BlueZTransport

@Suite(.timeLimit(.minutes(3))) struct AbandonedDialsTests {
    /// The dials under test. Their time limit is longer than any test.
    private let dials = AbandonedDials(patience: .seconds(3_600))

    /// Returns a descriptor that is not writable until its peer reads.
    private func full() throws -> (descriptor: CInt, peer: CInt) {
        var ends: [CInt] = [-1, -1]
        try #require(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &ends) == 0)
        for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
        let bytes = [UInt8](repeating: 0, count: 65_536)
        while write(ends[0], bytes, bytes.count) > 0 {}
        return (ends[0], ends[1])
    }

    /// Reads until the other end is closed.
    private func drain(_ peer: CInt) async throws {
        _ = fcntl(peer, F_SETFL, 0)
        _ = try await FileHandle(fileDescriptor: peer, closeOnDealloc: false).allUpcoming()
    }

    /// Waits until no dial is left. This function polls, because only the peer notices the end of a
    /// dial.
    private func waitUntilNoneIsLeft(of dials: AbandonedDials) async throws {
        try await eventually("no dial is left") { dials.count == 0 }
    }

    @Test("An abandoned dial is closed when the peer has answered")
    func closedOnceAnswered() async throws {
        let (descriptor, peer) = try full()
        defer { close(peer) }
        dials.take(descriptor, watchedBy: try #require(DescriptorWatcher()))
        #expect(dials.count == 1)
        // Reading makes the descriptor writable, as the answer does for a dial.
        try await drain(peer)
        try await waitUntilNoneIsLeft(of: dials)
    }

    @Test("An abandoned dial that gets no answer is closed, but not before two seconds have passed")
    func closedInTheEnd() async throws {
        let dials = AbandonedDials()
        let (descriptor, peer) = try full()
        defer { close(peer) }
        let begun = ContinuousClock.now
        dials.take(descriptor, watchedBy: try #require(DescriptorWatcher()))
        try await waitUntilNoneIsLeft(of: dials)
        #expect(ContinuousClock.now - begun >= .seconds(2))
        try await drain(peer)
    }

    @Test("Abandoned dials beyond the limit are closed at once")
    func beyondTheLimit() async throws {
        let watcher = try #require(DescriptorWatcher())
        var peers: [CInt] = []
        defer { for peer in peers { close(peer) } }
        for _ in 0...AbandonedDials.limit {
            let (descriptor, peer) = try full()
            peers.append(peer)
            dials.take(descriptor, watchedBy: watcher)
        }
        #expect(dials.count == AbandonedDials.limit)
        for peer in peers.reversed() { try await drain(peer) }
        try await waitUntilNoneIsLeft(of: dials)
    }
}
