// SPDX-License-Identifier: Apache-2.0

import Foundation
public import UserActivity

extension Application {
    /// Opens an activity that a search found.
    ///
    /// The delegate is called as for an activity from another device, and restores the content.
    ///
    /// - Parameters:
    ///   - saved: The saved copy of an activity.
    ///   - host: The host that carries the activity if it becomes current again.
    /// - Returns: The activity, if the app took it over; otherwise nil.
    @discardableResult
    public func open(
        _ saved: SavedUserActivity, host: (any UserActivityHost)? = UserActivity.defaultHost
    ) async -> UserActivity? {
        await continueActivity(ofType: saved.state.activityType) {
            SavedOffer(activity: UserActivity(state: try saved.state.validated(), host: host))
        }
    }
}

/// An activity of this device. Accepting or declining it concerns no other device.
private struct SavedOffer: ContinuedOffer {
    let activity: UserActivity
    func accept() async {}
    func decline() async {}
}
