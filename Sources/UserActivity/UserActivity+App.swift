// SPDX-License-Identifier: Apache-2.0

import Synchronization

private struct App: Sendable {
    var host: (any UserActivityHost)?
    var types: [String] = []
    var store: (any UserActivityStore)?
}

private let application = Mutex(App())

/// What is the same for all activities of a program. Foundation knows it from the bundle; here the
/// program says it once.
extension UserActivity {
    /// The host of activities that are made without one: set it before the first becomes current,
    /// or soon after: the one that is current without a host is offered then.
    public static var defaultHost: (any UserActivityHost)? {
        get { application.withLock { $0.host } }
        set {
            application.withLock { $0.host = newValue }
            if newValue != nil { MissingHost.offer() }
        }
    }

    /// The types that this program says it continues, as `NSUserActivityTypes` does on Apple's
    /// systems.
    public static var declaredActivityTypes: [String] {
        get { application.withLock { $0.types } }
        set { application.withLock { $0.types = newValue } }
    }

    /// Where activities that are eligible for search are kept, and deleted from: ``defaultHost``,
    /// if it keeps some, as the daemon does, unless another is set; nil keeps none. An activity
    /// with a host of its own that keeps some is kept there, unless one is set here.
    public static var store: (any UserActivityStore)? {
        get { application.withLock { $0.store ?? ($0.host as? any UserActivityStore) } }
        set { application.withLock { $0.store = newValue } }
    }

    /// The one that was set.
    static var chosenStore: (any UserActivityStore)? { application.withLock { $0.store } }
}
