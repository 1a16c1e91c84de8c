// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// Remembers the activity that became current before the program set a host.
enum MissingHost {
    private struct Waiting {
        weak var activity: UserActivity?
        var isTold = false
    }

    private static let waiting = Mutex(Waiting())

    /// Remembers an activity until there is a host, and warns the app's developer the first time.
    static func wait(_ activity: UserActivity) {
        let isTold = waiting.withLock { waiting in
            waiting.activity = activity
            defer { waiting.isTold = true }
            return waiting.isTold
        }
        guard !isTold else { return }
        DeveloperWarning.tell(
            "an activity of type \(activity.activityType) became current, and no other device sees it until you set "
                + "UserActivity.defaultHost, as in UserActivity.defaultHost = try await BatonConnection.open()")
    }

    /// Publishes the remembered activity, if it is still current.
    static func offer() {
        let activity = waiting.withLock { waiting in
            defer { waiting.activity = nil }
            return waiting.activity
        }
        if let activity, activity.isCurrent, activity.host == nil { activity.becomeCurrent() }
    }
}
