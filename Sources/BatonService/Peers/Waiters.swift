// SPDX-License-Identifier: Apache-2.0

import BatonTransport
import Synchronization

/// Those who wait for one outcome, each for as long as it likes: of who has gone nothing is left,
/// however long the outcome takes.
final class Waiters<Value: Sendable>: Sendable {
    private struct State {
        var outcome: Result<Value, any Error>?
        var nextID: UInt64 = 0
        var waiting: [UInt64: CheckedContinuation<Value, any Error>] = [:]
    }

    private let state = Mutex(State())

    /// How many wait.
    var count: Int { state.withLock(\.waiting.count) }

    /// Tells all who wait, and who comes later; the first outcome counts.
    func resolve(with outcome: Result<Value, any Error>) {
        let waiting = state.withLock { state in
            if state.outcome == nil { state.outcome = outcome }
            defer { state.waiting = [:] }
            return state.waiting.values.map(\.self)
        }
        for waiter in waiting { waiter.resume(with: outcome) }
    }

    /// The outcome.
    ///
    /// - Throws: It, or `CancellationError` when the task is cancelled before.
    func value() async throws -> Value {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let early: Result<Value, any Error>? = state.withLock { state in
                    if let outcome = state.outcome { return outcome }
                    if Task.isCancelled { return .failure(CancellationError()) }
                    state.waiting[id] = continuation
                    return nil
                }
                if let early { continuation.resume(with: early) }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: id) }?.resume(throwing: CancellationError())
        }
    }

    /// The outcome, if it comes in time.
    ///
    /// - Throws: As ``value()``, or `late` at the deadline.
    func value(until deadline: Duration, _ clock: any DeviceClock, late: any Error) async throws -> Value {
        try await value(unless: { try await clock.sleep(until: deadline) }, late: late)
    }

    /// The outcome, if it comes before something else is over.
    ///
    /// - Throws: As ``value()``, or `late` when `isOver` returns.
    func value(unless isOver: @escaping @Sendable () async throws -> Void, late: any Error) async throws -> Value {
        try await withThrowingTaskGroup(of: Value.self) { group in
            group.addTask { try await self.value() }
            group.addTask {
                try await isOver()
                throw late
            }
            defer { group.cancelAll() }
            guard let value = try await group.next() else { throw late }
            return value
        }
    }
}
