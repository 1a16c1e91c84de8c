// SPDX-License-Identifier: Apache-2.0

import Foundation
public import UserActivity

/// The calls that an app receives about activities that it continues.
///
/// The methods correspond to the methods of `UIApplicationDelegate` and `NSApplicationDelegate`
/// that concern activities. Every method has a default implementation, which calls the forms in
/// ``OtherApplicationDelegateForms``.
@preconcurrency @MainActor
public protocol ApplicationDelegate: OtherApplicationDelegateForms {
    /// Called when the user has chosen an activity, before it is fetched.
    ///
    /// - Returns: Whether the app shows the progress. If it is false, Baton informs the user.
    func application(_ application: Application, willContinueUserActivityWithType userActivityType: String) -> Bool

    /// Called when the activity has been fetched.
    ///
    /// - Parameters:
    ///   - application: The application.
    ///   - userActivity: The activity with its userInfo.
    ///   - restorationHandler: A closure to call now or later, on the main actor, with the objects
    ///     that take the activity over. The closure calls `restoreUserActivityState` on each
    ///     object.
    /// - Returns: Whether the app has taken the activity over. If it is false and the app can open
    ///   documents, Baton opens the document that the activity names.
    func application(
        _ application: Application, continue userActivity: UserActivity,
        restorationHandler: @escaping ([any UserActivityRestoring]?) -> Void
    ) -> Bool

    /// Called when the activity could not be continued.
    ///
    /// The error's code is `userCancelled` when the user cancelled. If the delegate does not
    /// implement this method, Baton informs the user.
    func application(
        _ application: Application, didFailToContinueUserActivityWithType userActivityType: String, error: any Error)

    /// Called after an activity of this app's responders was updated, and before it is handed over.
    ///
    /// The delegate may add entries, such as the version of the app.
    func application(_ application: Application, didUpdate userActivity: UserActivity)
}

extension ApplicationDelegate {
    /// Returns the answer of the delegate's other form. If the delegate has no other form, returns
    /// false: the app shows no progress.
    public func application(
        _ application: Application, willContinueUserActivityWithType userActivityType: String
    ) -> Bool {
        self.application(application: application, willContinueUserActivityWithType: userActivityType)
    }

    /// Returns whether one of the delegate's other forms takes the activity over.
    public func application(
        _ application: Application, continue userActivity: UserActivity,
        restorationHandler: @escaping ([any UserActivityRestoring]?) -> Void
    ) -> Bool {
        continueInOtherForm(application, userActivity, restorationHandler)
    }

    /// Calls the delegate's other form, or informs the user if there is none.
    public func application(
        _ application: Application, didFailToContinueUserActivityWithType userActivityType: String, error: any Error
    ) {
        self.application(
            application, didFailToContinueUserActivityWithType: userActivityType, error: error as NSError)
    }

    /// Calls the delegate's other form, if there is one.
    public func application(_ application: Application, didUpdate userActivity: UserActivity) {
        self.application(application, didUpdateUserActivity: userActivity)
    }
}
