// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BatonService

/// Tests ``RadioCalls`` alone.
struct RadioCallsTests {
    private var subject = RadioCalls()

    private mutating func begun() throws -> RadioCalls.Call {
        let call = subject.begin()
        return try #require(call)
    }

    @Test("At most one call waits, and it serves all changes until it reads the advertisement")
    mutating func oneWaits() throws {
        let first = try begun()
        let other = subject.begin()
        #expect(other == nil)
        subject.reads(first)
        let second = try begun()
        #expect(subject.latest === second)
    }

    @Test("If an old advertisement was taken, only the last call that runs is repeated, and only once")
    mutating func lastRepeats() throws {
        let first = try begun()
        subject.reads(first)
        let second = try begun()
        subject.reads(second)
        subject.tookOld()
        #expect(!subject.isToRepeat)
        subject.ended(second)
        #expect(subject.isToRepeat)
        subject.repeats()
        #expect(!subject.isToRepeat)
    }

    @Test("A task that waits for the latest call is woken at the end of that call, even if earlier calls still run")
    mutating func waiting() async throws {
        let first = try begun()
        subject.reads(first)
        let second = try begun()
        subject.reads(second)
        subject.ended(second)
        try await second.value()
        #expect(subject.latest == nil)
        subject.ended(first)
        try await first.value()
    }
}
