// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
public import UserActivity

/// Apps in one process that hand activities over to each other. Use it for an app's unit tests.
///
/// A loopback also carries streams, and needs no daemon, bus or radio. Each app is a host for its
/// own activities and sees the current activities of all others. As between devices, a hand-over
/// transfers a copy of the state, which is checked like one from another device.
///
/// The loopback differs from the daemon in four ways. It does not limit an activity's size. It does
/// not translate the paths of files in shared folders. It offers an activity without asking the app
/// for its state first, and asks only when another app continues the activity. A wait for an offer,
/// or for its end, notices that an activity has expired only at the next change of any activity.
public final class Loopback: Sendable {
    private let known = Mutex<[LoopbackApp]>([])

    /// Creates a loopback without apps.
    public init() {}

    /// Adds an app.
    ///
    /// - Parameters:
    ///   - name: The name that the other apps see, such as a device's name.
    ///   - delivery: Where the delegates of the app's activities are called, such as on a dispatch
    ///     queue.
    /// - Returns: The app, which is the host for its activities.
    public func app(_ name: String, delivery: CallbackDelivery = .immediate) -> LoopbackApp {
        let app = LoopbackApp(name: name, delivery: delivery, loopback: self)
        known.withLock { $0.append(app) }
        return app
    }

    var apps: [LoopbackApp] { known.withLock { $0 } }

    func offersChanged() { for app in apps { app.lookAgain() } }
}

/// Another app's current activity, as one app of a ``Loopback`` sees it.
public struct LoopbackOffer: Hashable, Sendable {
    /// The name of the app that offers it.
    public let app: String
    /// The activity's type.
    public let activityType: String
    /// The activity's title, or nil if it has none.
    public let title: String?
    let identity: UserActivity.Identity
}
