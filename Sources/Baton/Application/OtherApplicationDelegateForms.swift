// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import UserActivity

/// The methods of ``ApplicationDelegate`` with the names that they have in AppKit and older UIKit.
///
/// Without this protocol, a delegate that implements one of these forms would compile, but nothing
/// would call it. New code uses the form in ``ApplicationDelegate``. If a delegate has that form,
/// Baton calls only it. If not, Baton calls these forms in the order of their declarations, until
/// one returns true.
@MainActor
public protocol OtherApplicationDelegateForms: AnyObject {
    /// AppKit's form, whose handler does not accept nil.
    func application(
        _ application: Application, continue userActivity: UserActivity,
        restorationHandler: @escaping ([any UserActivityRestoring]) -> Void
    ) -> Bool

    /// The form in ``ApplicationDelegate``, with a handler that is marked `@MainActor`.
    func application(
        _ application: Application, continue userActivity: UserActivity,
        restorationHandler: @escaping @MainActor ([any UserActivityRestoring]?) -> Void
    ) -> Bool

    /// AppKit's form, with a handler that is marked `@MainActor`.
    func application(
        _ application: Application, continue userActivity: UserActivity,
        restorationHandler: @escaping @MainActor ([any UserActivityRestoring]) -> Void
    ) -> Bool

    /// The form whose handler takes untyped objects, as in Objective-C. Objects that cannot restore
    /// are skipped and logged.
    func application(
        _ application: Application, continue userActivity: UserActivity,
        restorationHandler: @escaping ([AnyObject]?) -> Void
    ) -> Bool

    /// The form that this method has in Swift 3. Objects that cannot restore are skipped and
    /// logged.
    func application(
        _ application: Application, continue userActivity: UserActivity,
        restorationHandler: @escaping ([Any]?) -> Void
    ) -> Bool

    /// The form with the Objective-C name. Objects that cannot restore are skipped and logged.
    func application(
        _ application: Application, continueUserActivity userActivity: UserActivity,
        restorationHandler: @escaping ([AnyObject]?) -> Void
    ) -> Bool

    /// The form with the Objective-C name and the current type of the handler.
    func application(
        _ application: Application, continueUserActivity userActivity: UserActivity,
        restorationHandler: @escaping ([any UserActivityRestoring]?) -> Void
    ) -> Bool

    /// The form in ``ApplicationDelegate``, with a label for the first parameter.
    func application(
        application: Application, continue userActivity: UserActivity,
        restorationHandler: @escaping ([any UserActivityRestoring]?) -> Void
    ) -> Bool

    /// Swift 2's form, with a label for the first parameter, as Swift 3 requires.
    ///
    /// Objects that cannot restore are skipped and logged.
    func application(
        application: Application, continueUserActivity userActivity: UserActivity,
        restorationHandler: @escaping ([AnyObject]?) -> Void
    ) -> Bool

    /// Swift 2's form of announcing an activity.
    func application(application: Application, willContinueUserActivityWithType userActivityType: String) -> Bool

    /// Swift 2's form of reporting a failure.
    func application(
        _ application: Application, didFailToContinueUserActivityWithType userActivityType: String, error: NSError)

    /// Swift 2's form of reporting a failure, with a label for the first parameter.
    func application(
        application: Application, didFailToContinueUserActivityWithType userActivityType: String, error: NSError)

    /// The update under its Objective-C name.
    func application(_ application: Application, didUpdateUserActivity userActivity: UserActivity)

    /// Swift 2's form of the update.
    func application(application: Application, didUpdateUserActivity userActivity: UserActivity)
}

extension OtherApplicationDelegateForms {
    /// Returns false: the activity is not taken over.
    public func application(
        _ application: Application, continue userActivity: UserActivity,
        restorationHandler: @escaping ([any UserActivityRestoring]) -> Void
    ) -> Bool { false }

    /// Returns false: the activity is not taken over.
    public func application(
        _ application: Application, continue userActivity: UserActivity,
        restorationHandler: @escaping @MainActor ([any UserActivityRestoring]?) -> Void
    ) -> Bool { false }

    /// Returns false: the activity is not taken over.
    public func application(
        _ application: Application, continue userActivity: UserActivity,
        restorationHandler: @escaping @MainActor ([any UserActivityRestoring]) -> Void
    ) -> Bool { false }

    /// Returns false: the activity is not taken over.
    public func application(
        _ application: Application, continue userActivity: UserActivity,
        restorationHandler: @escaping ([AnyObject]?) -> Void
    ) -> Bool { false }

    /// Returns false: the activity is not taken over.
    public func application(
        _ application: Application, continueUserActivity userActivity: UserActivity,
        restorationHandler: @escaping ([any UserActivityRestoring]?) -> Void
    ) -> Bool { false }

    /// Returns false: the activity is not taken over.
    public func application(
        application: Application, continue userActivity: UserActivity,
        restorationHandler: @escaping ([any UserActivityRestoring]?) -> Void
    ) -> Bool { false }

    /// Returns false: the activity is not taken over.
    public func application(
        _ application: Application, continue userActivity: UserActivity,
        restorationHandler: @escaping ([Any]?) -> Void
    ) -> Bool { false }

    /// Returns false: the activity is not taken over.
    public func application(
        _ application: Application, continueUserActivity userActivity: UserActivity,
        restorationHandler: @escaping ([AnyObject]?) -> Void
    ) -> Bool { false }

    /// Returns false: the activity is not taken over.
    public func application(
        application: Application, continueUserActivity userActivity: UserActivity,
        restorationHandler: @escaping ([AnyObject]?) -> Void
    ) -> Bool { false }

    /// Returns false: the app does not show the progress.
    public func application(
        application: Application, willContinueUserActivityWithType userActivityType: String
    ) -> Bool { false }

    /// Calls Swift 2's form with the other label.
    public func application(
        _ application: Application, didFailToContinueUserActivityWithType userActivityType: String, error: NSError
    ) {
        self.application(
            application: application, didFailToContinueUserActivityWithType: userActivityType, error: error)
    }

    /// Shows the failure to the user.
    public func application(
        application: Application, didFailToContinueUserActivityWithType userActivityType: String, error: NSError
    ) {
        application.inform(.failed(activityType: userActivityType, error: error))
    }

    /// Calls the form that this method has in Swift 2.
    public func application(_ application: Application, didUpdateUserActivity userActivity: UserActivity) {
        self.application(application: application, didUpdateUserActivity: userActivity)
    }

    /// Does nothing.
    public func application(application: Application, didUpdateUserActivity userActivity: UserActivity) {}

    /// Calls one form after the other until one takes the activity over.
    func continueInOtherForm(
        _ application: Application, _ activity: UserActivity,
        _ handler: @escaping ([any UserActivityRestoring]?) -> Void
    ) -> Bool {
        let appKit: ([any UserActivityRestoring]) -> Void = { handler($0) }
        let isolated: @MainActor ([any UserActivityRestoring]?) -> Void = { handler($0) }
        let isolatedAppKit: @MainActor ([any UserActivityRestoring]) -> Void = { handler($0) }
        let untyped: ([Any]?) -> Void = { handler(restoring($0)) }
        let objects: ([AnyObject]?) -> Void = { handler(restoring($0)) }
        return self.application(application, continue: activity, restorationHandler: appKit)
            || self.application(application, continue: activity, restorationHandler: isolated)
            || self.application(application, continue: activity, restorationHandler: isolatedAppKit)
            || self.application(application, continue: activity, restorationHandler: objects)
            || self.application(application, continue: activity, restorationHandler: untyped)
            || self.application(application, continueUserActivity: activity, restorationHandler: handler)
            || self.application(application, continueUserActivity: activity, restorationHandler: objects)
            || self.application(application: application, continue: activity, restorationHandler: handler)
            || self.application(application: application, continueUserActivity: activity, restorationHandler: objects)
    }
}

/// Returns the objects that can restore, and logs the others.
private func restoring(_ objects: [Any]?) -> [any UserActivityRestoring]? {
    objects?.compactMap { object in
        let restoring = object as? any UserActivityRestoring
        if restoring == nil {
            NSLog(
                "%@",
                "Baton: \(type(of: object)) was given to the restoration handler, and does not adopt UserActivityRestoring"
            )
        }
        return restoring
    }
}
