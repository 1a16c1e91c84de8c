// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// What is asked of stores, one after the other: what was deleted is not kept again by a save that
/// was asked for before.
enum StoreQueue {
    private struct State {
        var last: Task<Void, Never>?
        /// What was asked for last, if it is a save that has not begun.
        var waiting: Save?
        /// How often something was deleted.
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

    /// A save to come, of what was the latest when it begins.
    private final class Save: Sendable {
        let activity: Mutex<SavedUserActivity>
        init(_ activity: SavedUserActivity) { self.activity = Mutex(activity) }

        /// Saves a later state in place of this one, if it is the same activity's.
        func take(_ later: SavedUserActivity) -> Bool {
            activity.withLock { activity in
                guard activity.identity == later.identity else { return false }
                activity = later
                return true
            }
        }
    }

    private static let state = Mutex(State())

    /// How often something was deleted until now.
    static var deletions: Int { state.withLock(\.deletions) }

    /// Saves an activity after all that was asked for until now; what is typed meanwhile makes no
    /// more saves.
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

    /// Deletes something after all that was asked for until now; what is saved from now on comes
    /// after it.
    ///
    /// - Returns: The task, to wait for its end.
    static func delete(_ work: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        state.withLock { state in
            state.waiting = nil
            state.deletions += 1
            return state.add(work)
        }
    }
}
