// SPDX-License-Identifier: Apache-2.0

import Foundation
public import UserActivity

extension Application {
    /// Goes to what a search found: the delegate is asked as for an activity of another device, and
    /// restores the very item.
    ///
    /// - Parameters:
    ///   - saved: What was kept of an activity.
    ///   - host: What carries the activity, should it become current again.
    /// - Returns: The activity, if the app took it over.
    @discardableResult
    public func open(
        _ saved: SavedUserActivity, host: (any UserActivityHost)? = UserActivity.defaultHost
    ) async -> UserActivity? {
        await continueActivity(ofType: saved.state.activityType) {
            SavedOffer(activity: UserActivity(state: try saved.state.validated(), host: host))
        }
    }
}

/// An activity of this device, of which nobody else is to be told.
private struct SavedOffer: ContinuedOffer {
    let activity: UserActivity
    func accept() async {}
    func decline() async {}
}
