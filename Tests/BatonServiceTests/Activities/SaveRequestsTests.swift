// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTesting
import Testing

@testable import BatonService

/// ``SaveRequests`` by themselves.
@Suite(.timeLimit(.minutes(5))) struct SaveRequestsTests {
    private static let refusal = HandoffError(.userInfoTooLarge, "the contents are too large")
    private var subject = SaveRequests()

    @Test("All who wait for an activity's contents go on once they are there, and nobody who waits for another's")
    mutating func contentsCome() async throws {
        let (first, second) = (subject.waiters(for: "letter"), subject.waiters(for: "letter"))
        let other = subject.waiters(for: "list")
        #expect(first === second && first !== other)
        let tasks = [first, second, other].map { waiters in Task { try await waiters.value() } }
        try await eventually("all wait") { first.count == 2 && other.count == 1 }
        #expect(subject.count == 3)
        subject.ended("letter")
        for task in tasks.prefix(2) { try await task.value }
        #expect(subject.count == 1 && other.count == 1)
        // Who comes later has the app asked anew.
        let later = subject.waiters(for: "letter")
        #expect(later !== first)
        subject.endAll()
        try await later.value()
        try await tasks[2].value
        #expect(subject.count == 0)
    }

    @Test("Who waits for contents that cannot be handed over learns why, and so does who comes later")
    mutating func contentsAreRefused() async throws {
        let waiters = subject.waiters(for: "letter")
        subject.refused("letter", Self.refusal)
        let error = await #expect(throws: HandoffError.self) { try await waiters.value() }
        #expect(error?.code == .userInfoTooLarge)
        // That nobody waits any more changes nothing in that.
        subject.ended("letter")
        #expect(subject.refusal(of: "letter")?.code == .userInfoTooLarge && subject.refusal(of: "list") == nil)
        subject.taken("list")
        #expect(subject.refusalCount == 1)
        subject.taken("letter")
        #expect(subject.refusal(of: "letter") == nil && subject.refusalCount == 0)
    }

    @Test("Who waits when an activity is over goes on, and no refusal is left")
    mutating func activityIsOver() async throws {
        subject.refused("letter", Self.refusal)
        let (waiters, other) = (subject.waiters(for: "letter"), subject.waiters(for: "list"))
        subject.forget("letter")
        try await waiters.value()
        #expect(subject.refusal(of: "letter") == nil)
        subject.endAll()
        try await other.value()
        for number in 0..<1_000 {
            subject.refused("\(number)", Self.refusal)
            subject.forget("\(number)")
        }
        #expect(subject.refusalCount == 0 && subject.count == 0)
    }

    @Test("Who gives up waiting is not counted any more, and the others wait on")
    mutating func waitingIsGivenUp() async throws {
        let waiters = subject.waiters(for: "letter")
        let (patient, hasty) = (Task { try await waiters.value() }, Task { try await waiters.value() })
        try await eventually("both wait") { waiters.count == 2 }
        hasty.cancel()
        await #expect(throws: CancellationError.self) { try await hasty.value }
        #expect(subject.count == 1)
        subject.ended("letter")
        try await patient.value
        #expect(subject.count == 0)
    }
}
