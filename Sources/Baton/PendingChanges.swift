// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The activities whose change is on its way already, so that many changes become one message.
final class PendingChanges: Sendable {
    private let activities = Mutex<Set<ObjectIdentifier>>([])

    /// Whether this change is the first since the last was taken.
    func insert(_ activity: ObjectIdentifier) -> Bool { activities.withLock { $0.insert(activity).inserted } }

    func remove(_ activity: ObjectIdentifier) { activities.withLock { _ = $0.remove(activity) } }
}
