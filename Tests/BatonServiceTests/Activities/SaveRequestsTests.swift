// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTesting
import Diagnosis
import Testing

@testable import BatonService

/// Tests ``SaveRequests`` alone.
@Suite(.timeLimit(.minutes(5))) struct SaveRequestsTests {
    private static let refusal = HandoffError(.userInfoTooLarge, .contentsTooLarge)
    private static let late = HandoffError(.remoteApplicationTimedOut, .laptopAppSilent)
    private var subject = SaveRequests()

    private mutating func waiters(for activity: String) -> Waiters<Void> {
        subject.begin(activity, until: .seconds(5)).waiters
    }

    @Test("When an activity's contents arrive, all waiters for them continue, but no waiter for another activity does")
    mutating func contentsCome() async throws {
        let (first, second) = (subject.arrive(), subject.arrive())
        let (letter, other) = (self.waiters(for: "letter"), self.waiters(for: "list"))
        let tasks = try [first, second].map { arrival in
            let shared = try #require(subject.save(of: "letter", after: arrival)).waiters
            #expect(shared === letter && shared !== other)
            return Task { try await shared.value() }
        }
        let elsewhere = Task { try await other.value() }
        try await eventually("all wait") { letter.count == 2 && other.count == 1 }
        #expect(subject.count == 3)
        subject.ended("letter")
        for task in tasks { try await task.value }
        #expect(subject.count == 1 && other.count == 1)
        subject.endAll()
        try await elsewhere.value
        #expect(subject.count == 0)
    }

    @Test("A request is served only by a save that began after it, even if that save has already finished")
    mutating func nothingOlderThanTheRequest() throws {
        let early = subject.arrive()
        _ = self.waiters(for: "letter")
        let late = subject.arrive()
        #expect(subject.save(of: "letter", after: early) != nil && subject.current(of: "letter") != nil)
        #expect(subject.save(of: "letter", after: late) == nil)
        subject.ended("letter")
        #expect(subject.save(of: "letter", after: early) != nil && subject.current(of: "letter") == nil)
        #expect(subject.save(of: "letter", after: late) == nil && subject.save(of: "list", after: early) == nil)
    }

    @Test("An app's late answer ends only the save that it answers, not the next one")
    mutating func lateOnce() async throws {
        let old = subject.begin("letter", until: .seconds(5))
        subject.late(old, of: "letter", Self.late)
        await #expect(throws: HandoffError.self) { try await old.waiters.value() }
        let new = subject.begin("letter", until: .seconds(10))
        subject.late(old, of: "letter", Self.late)
        #expect(subject.current(of: "letter") != nil)
        subject.ended("letter")
        try await new.waiters.value()
    }

    @Test("A waiter for contents that cannot be sent learns the reason, and so does a later waiter")
    mutating func contentsAreRefused() async throws {
        let waiters = self.waiters(for: "letter")
        subject.refused("letter", Self.refusal)
        let error = await #expect(throws: HandoffError.self) { try await waiters.value() }
        #expect(error?.code == .userInfoTooLarge)
        // The refusal remains after the save, until newer contents are accepted.
        subject.ended("letter")
        #expect(subject.refusal(of: "letter")?.code == .userInfoTooLarge && subject.refusal(of: "list") == nil)
        subject.taken("list")
        #expect(subject.refusalCount == 1)
        subject.taken("letter")
        #expect(subject.refusal(of: "letter") == nil && subject.refusalCount == 0)
    }

    @Test("When an activity ends, its waiters continue, and its refusals are forgotten")
    mutating func activityIsOver() async throws {
        subject.refused("letter", Self.refusal)
        let (waiters, other) = (self.waiters(for: "letter"), self.waiters(for: "list"))
        subject.forget("letter")
        try await waiters.value()
        #expect(subject.refusal(of: "letter") == nil && subject.current(of: "letter") == nil)
        subject.endAll()
        try await other.value()
        for number in 0..<1_000 {
            _ = self.waiters(for: "\(number)")
            subject.refused("\(number)", Self.refusal)
            subject.forget("\(number)")
        }
        #expect(subject.refusalCount == 0 && subject.count == 0)
    }

    @Test("A cancelled waiter no longer counts, and the other waiters keep waiting")
    mutating func waitingIsGivenUp() async throws {
        let waiters = self.waiters(for: "letter")
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
