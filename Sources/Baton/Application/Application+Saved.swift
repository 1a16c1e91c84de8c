// SPDX-License-Identifier: Apache-2.0

import Foundation
public import UserActivity

extension Application {
    /// Opens an activity that a search found.
    ///
    /// Calls the delegate as for an activity from another device. The delegate restores the
    /// content.
    ///
    /// - Parameters:
    ///   - saved: The saved copy of an activity.
    ///   - host: The host that carries the activity if it becomes current again.
    /// - Returns: The activity, or nil if the app did not take it over.
    @discardableResult
    public func open(
        _ saved: SavedUserActivity, host: (any UserActivityHost)? = UserActivity.defaultHost
    ) async -> UserActivity? {
        await continueActivity(ofType: saved.state.activityType) {
            SavedOffer(activity: UserActivity(state: try saved.state.validated(), host: host))
        }
    }
}

/// An activity that was saved on this device. No other device needs to know whether it was accepted
/// or declined.
private struct SavedOffer: ContinuedOffer {
    let activity: UserActivity
    func accept() async {}
    func decline() async {}
}
