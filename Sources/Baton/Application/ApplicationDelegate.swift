// SPDX-License-Identifier: Apache-2.0

import Foundation
public import UserActivity

/// The calls that an app receives about activities that it continues.
///
/// It is the part of `UIApplicationDelegate` and `NSApplicationDelegate` that concerns activities.
/// Every member has a default, which calls the forms of ``OtherApplicationDelegateForms``.
@preconcurrency @MainActor
public protocol ApplicationDelegate: OtherApplicationDelegateForms {
    /// Called when the user has chosen an activity, before it is fetched.
    ///
    /// - Returns: Whether the app shows the progress. If not, Baton informs the user.
    func application(_ application: Application, willContinueUserActivityWithType userActivityType: String) -> Bool

    /// Called when the activity has been fetched.
    ///
    /// - Parameters:
    ///   - application: The application.
    ///   - userActivity: The activity with its userInfo.
    ///   - restorationHandler: Call it now or later with the objects that take the activity over.
    ///     Each object gets `restoreUserActivityState`. The handler belongs to the main actor, as
    ///     the delegate does.
    /// - Returns: Whether the app has taken the activity over. If not, Baton opens the document
    ///   that the activity names, if the app can open documents.
    func application(
        _ application: Application, continue userActivity: UserActivity,
        restorationHandler: @escaping ([any UserActivityRestoring]?) -> Void
    ) -> Bool

    /// Called when the activity could not be continued.
    ///
    /// The error's code is `userCancelled` when the user cancelled. Without this member Baton
    /// informs the user.
    func application(
        _ application: Application, didFailToContinueUserActivityWithType userActivityType: String, error: any Error)

    /// Called after an activity of this app's responders was updated, and before it is handed over.
    ///
    /// The delegate may add entries, such as the version of the app.
    func application(_ application: Application, didUpdate userActivity: UserActivity)
}

extension ApplicationDelegate {
    /// Returns the answer of the delegate's other form, or false if it has none. False means that
    /// the app shows no progress.
    public func application(
        _ application: Application, willContinueUserActivityWithType userActivityType: String
    ) -> Bool {
        self.application(application: application, willContinueUserActivityWithType: userActivityType)
    }

    /// Returns false unless another form takes the activity over.
    public func application(
        _ application: Application, continue userActivity: UserActivity,
        restorationHandler: @escaping ([any UserActivityRestoring]?) -> Void
    ) -> Bool {
        continueInOtherForm(application, userActivity, restorationHandler)
    }

    /// Informs the user, unless another form handles the failure.
    public func application(
        _ application: Application, didFailToContinueUserActivityWithType userActivityType: String, error: any Error
    ) {
        self.application(
            application, didFailToContinueUserActivityWithType: userActivityType, error: error as NSError)
    }

    /// Does nothing, unless another form adds entries.
    public func application(_ application: Application, didUpdate userActivity: UserActivity) {
        self.application(application, didUpdateUserActivity: userActivity)
    }
}
