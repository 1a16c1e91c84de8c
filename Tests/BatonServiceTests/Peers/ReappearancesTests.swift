// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTesting
import Testing

@testable import BatonService

/// Tests ``Reappearances`` alone.
@Suite(.timeLimit(.minutes(5))) struct ReappearancesTests {
    private let anna = DeviceIdentity().id
    private let berta = DeviceIdentity().id
    private var subject = Reappearances()

    @Test("All waiters for a device learn that it is heard, and no waiter for another")
    mutating func allHear() async throws {
        let (first, second, other) = (subject.next(of: anna), subject.next(of: anna), subject.next(of: berta))
        #expect(first === second && first !== other && subject.count == 2)
        let tasks = [first, second, other].map { waiters in Task { try await waiters.value() } }
        try await eventually("all wait") { first.count == 2 && other.count == 1 }
        subject.heard(anna)
        for task in tasks.prefix(2) { try await task.value }
        #expect(subject.count == 1 && other.count == 1)
        subject.heard(berta)
        try await tasks[2].value
        #expect(subject.count == 0)
    }

    @Test("A heard device wakes the present waiters, and later ones wait for the next time")
    mutating func later() async throws {
        subject.heard(anna)
        let before = subject.next(of: anna)
        subject.heard(anna)
        try await before.value()
        let after = subject.next(of: anna)
        #expect(after !== before && subject.count == 1)
        subject.heard(anna)
        try await after.value()
    }

    @Test("Devices without waiters, or outside the circle, are not remembered")
    mutating func forgotten() {
        for _ in 0..<20 { subject.heard(DeviceIdentity().id) }
        #expect(subject.count == 0)
        let (member, gone) = (subject.next(of: anna), subject.next(of: berta))
        let staying = anna
        subject.keep { $0 == staying }
        #expect(subject.count == 1)
        let (same, anew) = (subject.next(of: anna), subject.next(of: berta))
        #expect(same === member && anew !== gone)
    }
}
