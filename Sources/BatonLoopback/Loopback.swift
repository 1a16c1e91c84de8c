// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
public import UserActivity

/// Apps in one process that hand over to each other, streams included, without a daemon, a bus or a
/// radio: for an app's unit tests.
///
/// Each app is a host for its activities and sees the current activities of all others. What
/// crosses is what would cross between devices: a copy of the state, checked as another device's
/// would be.
///
/// Three things are the daemon's, and not tried here: the limits on an activity's size, the places
/// of files in shared folders, and that the app is asked already before its activity is advertised
/// (here it is offered at once, and asked when another app continues it). An activity that expires
/// is noticed when something else changes.
public final class Loopback: Sendable {
    private let known = Mutex<[LoopbackApp]>([])

    /// Without apps.
    public init() {}

    /// Adds an app.
    ///
    /// - Parameters:
    ///   - name: What the others know it by, such as a device's name.
    ///   - delivery: Where the delegates of its activities are called.
    /// - Returns: The app: the host to give to its activities.
    public func app(_ name: String, delivery: CallbackDelivery = .immediate) -> LoopbackApp {
        let app = LoopbackApp(name: name, delivery: delivery, loopback: self)
        known.withLock { $0.append(app) }
        return app
    }

    var apps: [LoopbackApp] { known.withLock { $0 } }

    func offersChanged() { for app in apps { app.lookAgain() } }
}

/// What one app of a ``Loopback`` sees of another's current activity.
public struct LoopbackOffer: Hashable, Sendable {
    /// The name of the app that offers it.
    public let app: String
    /// The activity's type.
    public let activityType: String
    /// The activity's title, if it has one by now.
    public let title: String?
    let identity: UserActivity.Identity
}
