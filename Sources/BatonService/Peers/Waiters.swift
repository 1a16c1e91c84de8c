// SPDX-License-Identifier: Apache-2.0

import BatonTransport
import Synchronization

/// Tasks that wait for one outcome. A task that stops waiting early leaves nothing behind, however
/// long the outcome takes.
final class Waiters<Value: Sendable>: Sendable {
    private struct State {
        var outcome: Result<Value, any Error>?
        var nextID: UInt64 = 0
        var waiting: [UInt64: CheckedContinuation<Value, any Error>] = [:]
    }

    private let state = Mutex(State())

    var count: Int { state.withLock(\.waiting.count) }
    /// Whether the outcome is set.
    var isResolved: Bool { state.withLock { $0.outcome != nil } }

    /// Sets the outcome for all tasks that wait now or later. Only the first call has an effect.
    func resolve(with outcome: Result<Value, any Error>) {
        let waiting = state.withLock { state in
            if state.outcome == nil { state.outcome = outcome }
            defer { state.waiting = [:] }
            return state.waiting.values.map(\.self)
        }
        for waiter in waiting { waiter.resume(with: outcome) }
    }

    /// Waits for the outcome and returns it.
    ///
    /// - Throws: The outcome's error, or `CancellationError` if the task is cancelled first.
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

    /// Returns the outcome if it comes before a deadline.
    ///
    /// - Throws: The errors of ``value()``, or `late` at the deadline.
    func value(until deadline: Duration, _ clock: any DeviceClock, late: any Error) async throws -> Value {
        try await value(unless: { try await clock.sleep(until: deadline) }, late: late)
    }

    /// Returns the outcome if it comes before another event.
    ///
    /// - Throws: The errors of ``value()``, or `late` when `isOver` returns.
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
