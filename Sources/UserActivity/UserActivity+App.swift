// SPDX-License-Identifier: Apache-2.0

import Synchronization

private struct App: Sendable {
    var host: (any UserActivityHost)?
    var types: [String] = []
    var store: (any UserActivityStore)?
}

private let application = Mutex(App())

/// Settings that all activities of a program share.
///
/// Foundation reads them from the app's bundle. On Linux the program sets them once.
extension UserActivity {
    /// The host of activities that are created without a host of their own.
    ///
    /// Set the host before the first activity becomes current. If you set it later, Baton then
    /// offers the activity that has become current without a host.
    public static var defaultHost: (any UserActivityHost)? {
        get { application.withLock { $0.host } }
        set {
            application.withLock { $0.host = newValue }
            if newValue != nil { MissingHost.offer() }
        }
    }

    /// The activity types that this program continues, like Apple's `NSUserActivityTypes`.
    public static var declaredActivityTypes: [String] {
        get { application.withLock { $0.types } }
        set { application.withLock { $0.types = newValue } }
    }

    /// The store of activities that are eligible for search.
    ///
    /// If you set no store, an activity is stored by its own host, if that host can store
    /// activities. Otherwise it is stored by ``defaultHost``, if that host can. The daemon can
    /// store activities. Without a store, activities are not stored.
    public static var store: (any UserActivityStore)? {
        get { application.withLock { $0.store ?? ($0.host as? any UserActivityStore) } }
        set { application.withLock { $0.store = newValue } }
    }

    /// The store that the program set, or nil.
    static var chosenStore: (any UserActivityStore)? { application.withLock { $0.store } }
}
