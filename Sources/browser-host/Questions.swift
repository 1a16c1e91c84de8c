// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// What the extension was asked, until it answers or the time is over.
final class Questions: Sendable {
    private struct State {
        var last: UInt32 = 0
        var waiting: [UInt32: CheckedContinuation<Request?, Never>] = [:]
    }

    private let state = Mutex(State())

    /// How many wait for an answer; for tests.
    var count: Int { state.withLock { $0.waiting.count } }

    /// Asks something.
    ///
    /// - Parameters:
    ///   - limit: How long the answer may take.
    ///   - send: Sends the question, whose id it gets.
    /// - Returns: The answer; nil when none came.
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

    /// Takes an answer; one that nobody waits for is of no meaning.
    func answer(_ id: UInt32, _ request: Request?) {
        state.withLock { $0.waiting.removeValue(forKey: id) }?.resume(returning: request)
    }
}
