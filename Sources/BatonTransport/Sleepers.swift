// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Tasks that sleep until a moment, with as few of the runtime's timers as possible.
///
/// Most of a daemon's deadlines are cancelled. A cancelled `Task.sleep` keeps its timer, and a
/// kilobyte of memory, until the timer fires (measured with Swift 6.3.1). A task that sleeps with
/// this type leaves nothing behind when it is cancelled. Timers are shared and always run to their
/// end, and then another timer begins for the tasks that still sleep.
final class Sleepers: Sendable {
    typealias Instant = ContinuousClock.Instant

    private struct State {
        var nextID: UInt64 = 0
        var sleeping: [UInt64: (until: Instant, continuation: CheckedContinuation<Void, any Error>)] = [:]
        /// The moments at which the timers end. A new timer always ends before all timers that
        /// still run.
        var timers: Set<Instant> = []

        /// Returns the moment for which another timer must begin, or nil if none is needed.
        mutating func timerToBegin() -> Instant? {
            guard let first = sleeping.values.lazy.map(\.until).min(), timers.min().map({ first < $0 }) ?? true else {
                return nil
            }
            timers.insert(first)
            return first
        }
    }

    private let state = Mutex(State())

    /// The numbers of sleeping tasks and of timers.
    var counts: (sleeping: Int, timers: Int) { state.withLock { ($0.sleeping.count, $0.timers.count) } }

    /// Returns once a moment has been reached.
    ///
    /// - Throws: `CancellationError`.
    func sleep(until moment: Instant) async throws {
        try Task.checkCancellation()
        guard moment > .now else { return }
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let (isCancelled, timer): (Bool, Instant?) = state.withLock { state in
                    guard !Task.isCancelled else { return (true, nil) }
                    state.sleeping[id] = (moment, continuation)
                    return (false, state.timerToBegin())
                }
                if isCancelled { continuation.resume(throwing: CancellationError()) }
                if let timer { begin(timer) }
            }
        } onCancel: {
            state.withLock { $0.sleeping.removeValue(forKey: id) }?.continuation.resume(throwing: CancellationError())
        }
    }

    private func begin(_ timer: Instant) {
        Task {
            try? await Task.sleep(until: timer, clock: .continuous)
            ended(timer)
        }
    }

    private func ended(_ timer: Instant) {
        let (due, next) = state.withLock { state in
            state.timers.remove(timer)
            let now = Instant.now
            let due = state.sleeping.filter { $0.value.until <= now }
            for id in due.keys { state.sleeping[id] = nil }
            return (due.values.map(\.continuation), state.timerToBegin())
        }
        for continuation in due { continuation.resume() }
        if let next { begin(next) }
    }
}
