// SPDX-License-Identifier: Apache-2.0

import DBus
internal import Synchronization

/// A call that waits for its turn among the calls of its client.
final class HeldCall: Sendable {
    typealias Answer = Result<[DBusValue], any Error>
    typealias Body = @Sendable (Result<Admission, any Error>) async -> Answer

    private struct State {
        var waiting: CheckedContinuation<Answer, Never>?
        var task: Task<Void, Never>?
        var isCancelled = false
    }

    private let body: Body
    private let state = Mutex(State())

    init(_ body: @escaping Body) { self.body = body }

    /// Sets the continuation that waits for the answer.
    func wait(_ continuation: CheckedContinuation<Answer, Never>) { state.withLock { $0.waiting = continuation } }

    /// Begins the call, and returns at its first suspension.
    func begin(_ admission: Result<Admission, any Error>) {
        let waiting = state.withLock { $0.waiting.take() }
        let body = body
        let task = Task.immediate {
            let answer = await body(admission)
            waiting?.resume(returning: answer)
        }
        let isCancelled = state.withLock { state in
            state.task = task
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    /// Cancels the call. If the call has not begun yet, it will be cancelled when it begins.
    func cancel() {
        let task = state.withLock { state in
            state.isCancelled = true
            return state.task
        }
        task?.cancel()
    }
}
