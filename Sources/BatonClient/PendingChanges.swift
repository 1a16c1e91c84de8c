// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import Synchronization

/// The activities with a change that has not been sent, so that many changes become one message.
final class PendingChanges: Sendable {
    private let activities = Mutex<Set<ActivityIdentity>>([])

    /// The number of these activities, for tests.
    var count: Int { activities.withLock { $0.count } }

    /// Adds an activity, and returns whether it had no unsent change.
    func insert(_ activity: ActivityIdentity) -> Bool { activities.withLock { $0.insert(activity).inserted } }

    func remove(_ activity: ActivityIdentity) { activities.withLock { _ = $0.remove(activity) } }
}
