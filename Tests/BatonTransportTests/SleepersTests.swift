// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BatonTransport

/// Tests sleeping on the machine's clock.
@Suite(.timeLimit(.minutes(5))) struct SleepersTests {
    private let sleepers = Sleepers()

    @Test("A sleeper sleeps until its time, and leaves nothing behind")
    func sleepsUntilItsMoment() async throws {
        let moment = ContinuousClock.now + .milliseconds(20)
        try await sleepers.sleep(until: moment)
        #expect(.now >= moment)
        try await sleepers.sleep(until: moment)
        #expect(sleepers.counts == (0, 0))
    }

    @Test("A longer sleeper is not woken before its time")
    func longerSleepers() async throws {
        let now = ContinuousClock.now
        try await withThrowingTaskGroup { group in
            for milliseconds in [40, 5, 20, 60, 5] {
                group.addTask {
                    let moment = now + .milliseconds(milliseconds)
                    try await sleepers.sleep(until: moment)
                    #expect(.now >= moment)
                }
            }
            try await group.waitForAll()
        }
        #expect(sleepers.counts.sleeping == 0)
    }

    @Test("Sleepers that are woken early leave nothing behind")
    func wokenEarly() async throws {
        let now = ContinuousClock.now
        for number in 0..<10_000 {
            let task = Task.immediate { try await sleepers.sleep(until: now + .seconds(600 + number)) }
            #expect(sleepers.counts.sleeping == 1)
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        #expect(sleepers.counts.sleeping == 0)
        #expect(sleepers.counts.timers <= 1)
    }

    @Test("A sleeper that is cancelled before it sleeps does not sleep")
    func cancelledBeforehand() async throws {
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await sleepers.sleep(until: .now + .seconds(600))
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(sleepers.counts == (0, 0))
    }
}
