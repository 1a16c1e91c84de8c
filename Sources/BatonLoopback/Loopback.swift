// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
public import UserActivity

/// Apps in one process that hand activities over to each other, for an app's unit tests.
///
/// It includes streams, and needs no daemon, bus or radio. Each app is a host for its activities
/// and sees the current activities of all others. As between devices, a hand-over transfers a copy
/// of the state, and checks it like a state from another device.
///
/// The loopback leaves out three functions of the daemon. It does not limit an activity's size. It
/// does not translate the places of files in shared folders. It offers an activity at once, and
/// asks the app for its state when another app continues it. The daemon asks before it advertises.
/// An activity that expires is only noticed at the next other change.
public final class Loopback: Sendable {
    private let known = Mutex<[LoopbackApp]>([])

    /// Creates a loopback without apps.
    public init() {}

    /// Adds an app.
    ///
    /// - Parameters:
    ///   - name: The name that the other apps see, such as a device's name.
    ///   - delivery: The place where the delegates of its activities are called.
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
    /// The activity's title, if it has one now.
    public let title: String?
    let identity: UserActivity.Identity
}
