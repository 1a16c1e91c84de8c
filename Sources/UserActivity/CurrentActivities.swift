// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Which activity of each app, that is of each host, is current: the last to become it (requirement
/// 19).
enum CurrentActivities {
    /// Activities without a host count as one app.
    typealias App = ObjectIdentifier?

    private static let identities = Mutex<[App: UserActivity.Identity]>([:])

    static func isCurrent(_ activity: UserActivity.Identity, of app: App) -> Bool {
        identities.withLock { $0[app] == activity }
    }

    static func isNone(of app: App) -> Bool { identities.withLock { $0[app] == nil } }

    /// Whether it has taken the place of another.
    static func becomeCurrent(_ activity: UserActivity.Identity, of app: App) -> Bool {
        identities.withLock { identities in
            defer { identities[app] = activity }
            return identities[app].map { $0 != activity } ?? false
        }
    }

    /// Whether it was current until now.
    static func resign(_ activity: UserActivity.Identity, of app: App) -> Bool {
        identities.withLock { identities in
            guard identities[app] == activity else { return false }
            identities[app] = nil
            return true
        }
    }
}
