// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import Synchronization

/// The activities whose change is on its way already, so that many changes become one message.
final class PendingChanges: Sendable {
    private let activities = Mutex<Set<ActivityIdentity>>([])

    /// How many there are; for tests.
    var count: Int { activities.withLock { $0.count } }

    /// Whether this change is the first since the last was taken.
    func insert(_ activity: ActivityIdentity) -> Bool { activities.withLock { $0.insert(activity).inserted } }

    func remove(_ activity: ActivityIdentity) { activities.withLock { _ = $0.remove(activity) } }
}
