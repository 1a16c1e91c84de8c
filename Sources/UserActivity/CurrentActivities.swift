// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The current activity of each app in this process.
///
/// A host stands for one app. The activity that became current last is the app's current one
/// (requirement 19).
enum CurrentActivities {
    /// The host of an app's activities. All activities without a host count as one app.
    typealias App = ObjectIdentifier?

    private static let identities = Mutex<[App: UserActivity.Identity]>([:])

    static func isCurrent(_ activity: UserActivity.Identity, of app: App) -> Bool {
        identities.withLock { $0[app] == activity }
    }

    static func isNone(of app: App) -> Bool { identities.withLock { $0[app] == nil } }

    /// Makes an activity its app's current one, and returns whether the app had another current
    /// activity before.
    static func becomeCurrent(_ activity: UserActivity.Identity, of app: App) -> Bool {
        identities.withLock { identities in
            defer { identities[app] = activity }
            return identities[app].map { $0 != activity } ?? false
        }
    }

    /// Makes an activity no longer current, and returns whether it was current.
    static func resign(_ activity: UserActivity.Identity, of app: App) -> Bool {
        identities.withLock { identities in
            guard identities[app] == activity else { return false }
            identities[app] = nil
            return true
        }
    }
}
