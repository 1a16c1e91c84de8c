// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Runs the saves and deletions of stores in the order in which the app requested them.
///
/// A save that was requested before a deletion can therefore not bring a deleted activity back.
enum StoreQueue {
    private struct State {
        var last: Task<Void, Never>?
        /// The last request, if it is a save that has not begun.
        var waiting: Save?
        /// The number of deletions so far.
        var deletions = 0

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

    /// A save that has not begun. When the save begins, it writes the latest state that it was
    /// given.
    private final class Save: Sendable {
        let activity: Mutex<SavedUserActivity>
        init(_ activity: SavedUserActivity) { self.activity = Mutex(activity) }

        /// Replaces the state to save with a later one of the same activity.
        ///
        /// - Returns: Whether `later` belongs to the same activity.
        func take(_ later: SavedUserActivity) -> Bool {
            activity.withLock { activity in
                guard activity.identity == later.identity else { return false }
                activity = later
                return true
            }
        }
    }

    private static let state = Mutex(State())

    /// The number of deletions so far.
    static var deletions: Int { state.withLock(\.deletions) }

    /// Saves an activity after all earlier requests.
    ///
    /// Typing changes an activity often. Changes before the save begins therefore share one save.
    static func save(
        _ activity: SavedUserActivity, in store: any UserActivityStore, unlessDeletedSince deletions: Int?
    ) {
        state.withLock { state in
            if let deletions, deletions != state.deletions { return }
            if state.waiting?.take(activity) == true { return }
            let save = Save(activity)
            state.waiting = save
            state.add {
                Self.state.withLock { if $0.waiting === save { $0.waiting = nil } }
                try? await store.save(save.activity.withLock { $0 })
            }
        }
    }

    /// Deletes saved activities after all earlier requests, and before all later saves.
    ///
    /// - Returns: The task that does the work. Wait for the task to know when the work has ended.
    static func delete(_ work: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        state.withLock { state in
            state.waiting = nil
            state.deletions += 1
            return state.add(work)
        }
    }
}
