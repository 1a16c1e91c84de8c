// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A value that changes during a test. A waiting test checks it again after every change.
public final class Watched<Value: Sendable>: Sendable {
    private struct State {
        var value: Value
        var version = 0
        var nextID = 0
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
    }

    private let state: Mutex<State>

    /// Creates an instance with an initial value.
    public init(_ value: Value) { state = Mutex(State(value: value)) }

    /// The current value.
    public var value: Value { state.withLock(\.value) }

    /// Changes the value, and wakes the waiting tests.
    public func change(_ body: (inout Value) -> Void) {
        let waiters = state.withLock { state in
            body(&state.value)
            state.version += 1
            defer { state.waiters = [:] }
            return state.waiters.values.map(\.self)
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Waits until `pick` returns a result for the value, and returns that result. `pick` may also
    /// change the value.
    ///
    /// - Parameter what: The awaited event, in a few words.
    /// - Throws: ``Missing`` if the task is cancelled before `pick` returns a result.
    @discardableResult
    public func wait<Found: Sendable>(_ what: String, _ pick: (inout Value) -> Found?) async throws -> Found {
        while true {
            let (found, version) = state.withLock { (pick(&$0.value), $0.version) }
            if let found { return found }
            guard !Task.isCancelled else { throw Missing(what: what) }
            await changed(since: version)
        }
    }

    /// Waits until a condition holds that depends on more than the value. Checks the condition at
    /// once and after each change of the value.
    ///
    /// - Parameters:
    ///   - what: The awaited event, in a few words.
    ///   - isolation: The actor on which the condition runs, which is the caller's.
    /// - Throws: ``Missing`` if the task is cancelled before the condition holds.
    public func until(
        _ what: String, isolation: isolated (any Actor)? = #isolation, _ condition: () async throws -> Bool
    ) async throws {
        while true {
            let version = state.withLock(\.version)
            if try await condition() { return }
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

/// The error that is thrown if an awaited event did not happen.
public struct Missing: Error, CustomStringConvertible {
    /// The event, in a few words.
    public let what: String

    /// Creates the error for an event.
    public init(what: String) { self.what = what }

    /// A text for people.
    public var description: String { "it did not come: \(what)" }
}
