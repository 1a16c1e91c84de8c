// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A value that changes under a test: whoever waits for something looks again at every change.
public final class Watched<Value: Sendable>: Sendable {
    private struct State {
        var value: Value
        var version = 0
        var nextID = 0
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
    }

    private let state: Mutex<State>

    /// A value to begin with.
    public init(_ value: Value) { state = Mutex(State(value: value)) }

    /// The value as it is now.
    public var value: Value { state.withLock(\.value) }

    /// Changes it, and wakes whoever waits.
    public func change(_ body: (inout Value) -> Void) {
        let waiters = state.withLock { state in
            body(&state.value)
            state.version += 1
            defer { state.waiters = [:] }
            return state.waiters.values.map(\.self)
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Returns what `pick` finds, and may take out of the value, as soon as it does.
    ///
    /// - Parameter what: What is waited for, in a few words.
    /// - Throws: ``Missing`` when the task is cancelled before.
    @discardableResult
    public func wait<Found: Sendable>(_ what: String, _ pick: (inout Value) -> Found?) async throws -> Found {
        while true {
            let (found, version) = state.withLock { (pick(&$0.value), $0.version) }
            if let found { return found }
            guard !Task.isCancelled else { throw Missing(what: what) }
            await changed(since: version)
        }
    }

    /// Returns once a condition holds on something else, of which each change of the value may be a
    /// sign; looks at the beginning, and after each change.
    ///
    /// - Parameters:
    ///   - what: What is waited for, in a few words.
    ///   - isolation: Where the condition is looked at: where the caller is.
    /// - Throws: ``Missing`` when the task is cancelled before.
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

/// Something that a test waited for in vain.
public struct Missing: Error, CustomStringConvertible {
    /// What it was, in a few words.
    public let what: String

    /// Says what it was.
    public init(what: String) { self.what = what }

    /// For people.
    public var description: String { "it did not come: \(what)" }
}
