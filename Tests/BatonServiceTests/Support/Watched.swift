// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A value that changes under a test: whoever waits for something looks again at every change.
final class Watched<Value: Sendable>: Sendable {
    private struct State {
        var value: Value
        var version = 0
        var nextID = 0
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
    }

    private let state: Mutex<State>

    init(_ value: Value) { state = Mutex(State(value: value)) }

    var value: Value { state.withLock(\.value) }

    func change(_ body: (inout Value) -> Void) {
        let waiters = state.withLock { state in
            body(&state.value)
            state.version += 1
            defer { state.waiters = [:] }
            return state.waiters.values.map(\.self)
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Returns what `pick` finds, and may take out of the value, as soon as it does.
    func wait<Found: Sendable>(_ what: String, _ pick: (inout Value) -> Found?) async throws -> Found {
        while true {
            let (found, version) = state.withLock { (pick(&$0.value), $0.version) }
            if let found { return found }
            guard !Task.isCancelled else { throw Missing(what: what) }
            await changed(since: version)
        }
    }

    private func changed(since version: Int) async {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isLate = state.withLock { state in
                    if state.version != version || Task.isCancelled { return true }
                    state.waiters[id] = continuation
                    return false
                }
                if isLate { continuation.resume() }
            }
        } onCancel: {
            let waiter = state.withLock { $0.waiters.removeValue(forKey: id) }
            waiter?.resume()
        }
    }
}

/// Something that a test waited for in vain.
struct Missing: Error, CustomStringConvertible {
    let what: String
    var description: String { "it did not come: \(what)" }
}

/// Returns once a condition holds that nobody tells of; other tasks run between one look and the
/// next.
func eventually(
    _ what: String, within limit: Duration = .seconds(120), _ condition: () async throws -> Bool
) async throws {
    let end = ContinuousClock.now + limit
    while try await !condition() {
        guard ContinuousClock.now < end, !Task.isCancelled else { throw Missing(what: what) }
        // What is waited for needs the processor more than the question does.
        try await Task.sleep(for: .milliseconds(2))
    }
}
