// SPDX-License-Identifier: Apache-2.0

import Foundation
public import UserActivity

/// What an app is told about activities that it continues: the part of `UIApplicationDelegate` and
/// `NSApplicationDelegate` that is about them. Every member has a default, which tries the
/// spellings of ``OtherApplicationDelegateForms`` first.
@preconcurrency @MainActor
public protocol ApplicationDelegate: OtherApplicationDelegateForms {
    /// The user chose an activity of a type, which is being fetched.
    ///
    /// - Returns: Whether the app shows that something is under way; if not, Baton informs the
    ///   user.
    func application(_ application: Application, willContinueUserActivityWithType userActivityType: String) -> Bool

    /// The activity is there.
    ///
    /// - Parameters:
    ///   - application: The application.
    ///   - userActivity: The activity, with its userInfo.
    ///   - restorationHandler: May be called, now or later, with the objects that take the activity
    ///     over; each gets `restoreUserActivityState`. It belongs to the main actor, as the
    ///     delegate does.
    /// - Returns: Whether the app has taken it over; if not, a document that it names is opened, if
    ///   the app can.
    func application(
        _ application: Application, continue userActivity: UserActivity,
        restorationHandler: @escaping ([any UserActivityRestoring]?) -> Void
    ) -> Bool

    /// The activity could not be continued; the error's code is `userCancelled` when the user did
    /// not want it any more. Without this member Baton informs the user.
    func application(
        _ application: Application, didFailToContinueUserActivityWithType userActivityType: String, error: any Error)

    /// An activity that this app's responders share was updated, and is about to be handed over;
    /// more may be put into it, such as the version of the app.
    func application(_ application: Application, didUpdate userActivity: UserActivity)
}

extension ApplicationDelegate {
    /// The app shows nothing.
    public func application(
        _ application: Application, willContinueUserActivityWithType userActivityType: String
    ) -> Bool {
        self.application(application: application, willContinueUserActivityWithType: userActivityType)
    }

    /// The app takes nothing over.
    public func application(
        _ application: Application, continue userActivity: UserActivity,
        restorationHandler: @escaping ([any UserActivityRestoring]?) -> Void
    ) -> Bool {
        continueInOtherForm(application, userActivity, restorationHandler)
    }

    /// Baton informs the user.
    public func application(
        _ application: Application, didFailToContinueUserActivityWithType userActivityType: String, error: any Error
    ) {
        self.application(
            application, didFailToContinueUserActivityWithType: userActivityType, error: error as NSError)
    }

    /// Adds nothing.
    public func application(_ application: Application, didUpdate userActivity: UserActivity) {
        self.application(application, didUpdateUserActivity: userActivity)
    }
}
