// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import Synchronization

/// The activities with a request of the program that the connection has not handled yet.
///
/// The activities themselves hold the wanted state. So there is one entry for each activity,
/// however often it has changed.
final class ProgramRequests: Sendable {
    struct Waiting {
        /// The activities that became current.
        var current: [ActivityIdentity: any PublishedActivity] = [:]
        /// Whether an activity has stopped being current.
        var hasResigned = false
        var changed: Set<ActivityIdentity> = []
        var ended: Set<ActivityIdentity> = []
    }

    private struct State {
        var waiting = Waiting()
        var isClosed = false

        mutating func take() -> Waiting {
            defer { waiting = Waiting() }
            return waiting
        }
    }

    private let state = Mutex(State())
    /// Yields after a request, and finishes when no more can come.
    let wakeUps: AsyncStream<Void>
    private let wake: AsyncStream<Void>.Continuation

    init() { (wakeUps, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    /// The number of waiting requests, for tests.
    var count: Int { state.withLock { $0.waiting.current.count + $0.waiting.changed.count + $0.waiting.ended.count } }

    func add(_ request: (inout Waiting) -> Void) {
        state.withLock { if !$0.isClosed { request(&$0.waiting) } }
        wake.yield()
    }

    /// Removes and returns all requests.
    func take() -> Waiting { state.withLock { $0.take() } }

    /// Drops all requests, including later ones.
    func close() {
        // Release the activities outside of the lock.
        let dropped = state.withLock { state in
            state.isClosed = true
            return state.take()
        }
        withExtendedLifetime(dropped) {}
        wake.finish()
    }
}
