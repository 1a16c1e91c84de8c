// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The questions to the extension that have no answer yet.
final class Questions: Sendable {
    private struct State {
        var last: UInt32 = 0
        var waiting: [UInt32: CheckedContinuation<Request?, Never>] = [:]
    }

    private let state = Mutex(State())

    /// The number of open questions. For tests.
    var count: Int { state.withLock { $0.waiting.count } }

    /// Asks a question and waits for the answer.
    ///
    /// - Parameters:
    ///   - limit: The time limit.
    ///   - send: Sends the question with the given id.
    /// - Returns: The answer, or `nil` when none came in time.
    func ask(within limit: Duration, _ send: @Sendable (UInt32) -> Void) async -> Request? {
        let id = state.withLock { state in
            state.last &+= 1
            return state.last
        }
        let clock = Task {
            try await Task.sleep(for: limit)
            answer(id, nil)
        }
        defer { clock.cancel() }
        return await withCheckedContinuation { waiting in
            state.withLock { $0.waiting[id] = waiting }
            send(id)
        }
    }

    /// Delivers an answer. Ignores an answer to a question that is no longer open.
    func answer(_ id: UInt32, _ request: Request?) {
        state.withLock { $0.waiting.removeValue(forKey: id) }?.resume(returning: request)
    }
}
