// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// What is asked of stores, one after the other: what was deleted is not kept again by a save that was asked for before.
enum StoreQueue {
    private struct State {
        var last: Task<Void, Never>?
        /// The saves that nothing has followed but other saves, and that have not begun.
        var waiting: [UserActivity.Identity: Save] = [:]

        @discardableResult
        mutating func add(_ work: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
            let task = Task { [before = last] in
                await before?.value
                await work()
            }
            last = task
            return task
        }
    }

    /// A save to come, of what was the latest when it begins.
    private final class Save: Sendable {
        let activity: Mutex<SavedUserActivity>
        init(_ activity: SavedUserActivity) { self.activity = Mutex(activity) }
    }

    private static let state = Mutex(State())

    /// Saves an activity after all that was asked for until now; what is typed meanwhile makes no more saves.
    static func save(_ activity: SavedUserActivity, in store: any UserActivityStore) {
        state.withLock { state in
            if let waiting = state.waiting[activity.identity] { return waiting.activity.withLock { $0 = activity } }
            let save = Save(activity)
            state.waiting[activity.identity] = save
            state.add {
                Self.state.withLock { state in
                    if state.waiting[activity.identity] === save { state.waiting[activity.identity] = nil }
                }
                try? await store.save(save.activity.withLock { $0 })
            }
        }
    }

    /// Deletes something after all that was asked for until now; what is saved from now on comes after it.
    ///
    /// - Returns: The task, to wait for its end.
    static func delete(_ work: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        state.withLock { state in
            state.waiting = [:]
            return state.add(work)
        }
    }
}
