// SPDX-License-Identifier: Apache-2.0

import Synchronization
import UserActivity

/// The activities whose change is on its way already, so that many changes become one message.
final class PendingChanges: Sendable {
    private let activities = Mutex<Set<UserActivity.Identity>>([])

    /// How many there are; for tests.
    var count: Int { activities.withLock { $0.count } }

    /// Whether this change is the first since the last was taken.
    func insert(_ activity: UserActivity.Identity) -> Bool { activities.withLock { $0.insert(activity).inserted } }

    func remove(_ activity: UserActivity.Identity) { activities.withLock { _ = $0.remove(activity) } }
}
