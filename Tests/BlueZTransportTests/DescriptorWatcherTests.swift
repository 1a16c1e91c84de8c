// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc
import Testing

@testable import BlueZTransport

@Suite(.timeLimit(.minutes(5))) struct DescriptorWatcherTests {
    private func withPair(_ body: (CInt, CInt) async throws -> Void) async throws {
        var ends: [CInt] = [-1, -1]
        try #require(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer { for end in ends { close(end) } }
        try await body(ends[0], ends[1])
    }

    @Test("A wait returns when its descriptor is ready")
    func descriptorIsReady() async throws {
        let watcher = try #require(DescriptorWatcher())
        try await withPair { left, right in
            try await watcher.wait(for: .writable, on: left)
            async let readable: Void = watcher.wait(for: .readable, on: left)
            #expect(write(right, [1], 1) == 1)
            try await readable
        }
    }

    @Test("A wait ends at its deadline")
    func givesUpAtTheDeadline() async throws {
        let watcher = try #require(DescriptorWatcher())
        try await withPair { left, _ in
            await #expect(throws: DescriptorWatcher.TimedOut.self) {
                try await watcher.wait(for: .readable, on: left, until: .now + .milliseconds(10))
            }
        }
    }

    @Test("A wait ends when its task is cancelled")
    func endsWhenItsTaskIsCancelled() async throws {
        let watcher = try #require(DescriptorWatcher())
        try await withPair { left, _ in
            let task = Task { try await watcher.wait(for: .readable, on: left) }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }

    @Test("One watcher waits for many descriptors at once")
    func waitsForManyAtOnce() async throws {
        let watcher = try #require(DescriptorWatcher())
        try await withThrowingTaskGroup { group in
            for _ in 0..<100 {
                group.addTask {
                    try await withPair { left, right in
                        async let readable: Void = watcher.wait(for: .readable, on: left)
                        #expect(write(right, [1], 1) == 1)
                        try await readable
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("A peer that has closed its end counts as readable")
    func aClosedPeerCounts() async throws {
        let watcher = try #require(DescriptorWatcher())
        try await withPair { left, right in
            shutdown(right, CInt(SHUT_RDWR))
            try await watcher.wait(for: .readable, on: left)
        }
    }
}
