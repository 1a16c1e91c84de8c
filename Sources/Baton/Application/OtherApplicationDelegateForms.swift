// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import UserActivity

/// The members of ``ApplicationDelegate`` as AppKit, and UIKit before, spelled them: whoever writes
/// one of these from memory has it called.
///
/// Without the requirements such a member would compile, and nothing would call it. New code writes
/// the form in ``ApplicationDelegate``, which is called alone where a delegate has it. Of several
/// others the first, in the order in which they stand here, that returns true is the last.
@MainActor
public protocol OtherApplicationDelegateForms: AnyObject {
    /// AppKit's form: there are always objects.
    func application(
        _ application: Application, continue userActivity: UserActivity,
        restorationHandler: @escaping ([any UserActivityRestoring]) -> Void
    ) -> Bool

    /// With the handler's actor written out.
    func application(
        _ application: Application, continue userActivity: UserActivity,
        restorationHandler: @escaping @MainActor ([any UserActivityRestoring]?) -> Void
    ) -> Bool

    /// AppKit's form, with the handler's actor written out.
    func application(
        _ application: Application, continue userActivity: UserActivity,
        restorationHandler: @escaping @MainActor ([any UserActivityRestoring]) -> Void
    ) -> Bool

    /// With Objective-C's objects. What restores nothing is left out, with a line in the log.
    func application(
        _ application: Application, continue userActivity: UserActivity,
        restorationHandler: @escaping ([AnyObject]?) -> Void
    ) -> Bool

    /// Swift 3's form. What restores nothing is left out, with a line in the log.
    func application(
        _ application: Application, continue userActivity: UserActivity,
        restorationHandler: @escaping ([Any]?) -> Void
    ) -> Bool

    /// Objective-C's name. What restores nothing is left out, with a line in the log.
    func application(
        _ application: Application, continueUserActivity userActivity: UserActivity,
        restorationHandler: @escaping ([AnyObject]?) -> Void
    ) -> Bool

    /// Objective-C's name, and the handler of today.
    func application(
        _ application: Application, continueUserActivity userActivity: UserActivity,
        restorationHandler: @escaping ([any UserActivityRestoring]?) -> Void
    ) -> Bool

    /// With a label for its first parameter.
    func application(
        application: Application, continue userActivity: UserActivity,
        restorationHandler: @escaping ([any UserActivityRestoring]?) -> Void
    ) -> Bool

    /// Swift 2's form, with the first label that Swift has read into it since. What restores
    /// nothing is left out, with a line in the log.
    func application(
        application: Application, continueUserActivity userActivity: UserActivity,
        restorationHandler: @escaping ([AnyObject]?) -> Void
    ) -> Bool

    /// Swift 2's form.
    func application(application: Application, willContinueUserActivityWithType userActivityType: String) -> Bool

    /// Swift 2's form, with a label for its first parameter.
    func application(
        _ application: Application, didFailToContinueUserActivityWithType userActivityType: String, error: NSError)

    /// Swift 2's form.
    func application(
        application: Application, didFailToContinueUserActivityWithType userActivityType: String, error: NSError)

    /// Objective-C's name.
    func application(_ application: Application, didUpdateUserActivity userActivity: UserActivity)

    /// Swift 2's form.
    func application(application: Application, didUpdateUserActivity userActivity: UserActivity)
}

extension OtherApplicationDelegateForms {
    /// The app takes nothing over.
    public func application(
        _ application: Application, continue userActivity: UserActivity,
        restorationHandler: @escaping ([any UserActivityRestoring]) -> Void
    ) -> Bool { false }

    /// The app takes nothing over.
    public func application(
        _ application: Application, continue userActivity: UserActivity,
        restorationHandler: @escaping @MainActor ([any UserActivityRestoring]?) -> Void
    ) -> Bool { false }

    /// The app takes nothing over.
    public func application(
        _ application: Application, continue userActivity: UserActivity,
        restorationHandler: @escaping @MainActor ([any UserActivityRestoring]) -> Void
    ) -> Bool { false }

    /// The app takes nothing over.
    public func application(
        _ application: Application, continue userActivity: UserActivity,
        restorationHandler: @escaping ([AnyObject]?) -> Void
    ) -> Bool { false }

    /// The app takes nothing over.
    public func application(
        _ application: Application, continueUserActivity userActivity: UserActivity,
        restorationHandler: @escaping ([any UserActivityRestoring]?) -> Void
    ) -> Bool { false }

    /// The app takes nothing over.
    public func application(
        application: Application, continue userActivity: UserActivity,
        restorationHandler: @escaping ([any UserActivityRestoring]?) -> Void
    ) -> Bool { false }

    /// The app takes nothing over.
    public func application(
        _ application: Application, continue userActivity: UserActivity,
        restorationHandler: @escaping ([Any]?) -> Void
    ) -> Bool { false }

    /// The app takes nothing over.
    public func application(
        _ application: Application, continueUserActivity userActivity: UserActivity,
        restorationHandler: @escaping ([AnyObject]?) -> Void
    ) -> Bool { false }

    /// The app takes nothing over.
    public func application(
        application: Application, continueUserActivity userActivity: UserActivity,
        restorationHandler: @escaping ([AnyObject]?) -> Void
    ) -> Bool { false }

    /// The app shows nothing.
    public func application(
        application: Application, willContinueUserActivityWithType userActivityType: String
    ) -> Bool { false }

    /// Tries Swift 2's form.
    public func application(
        _ application: Application, didFailToContinueUserActivityWithType userActivityType: String, error: NSError
    ) {
        self.application(
            application: application, didFailToContinueUserActivityWithType: userActivityType, error: error)
    }

    /// Baton informs the user.
    public func application(
        application: Application, didFailToContinueUserActivityWithType userActivityType: String, error: NSError
    ) {
        application.inform(.failed(activityType: userActivityType, error: error))
    }

    /// Tries Swift 2's form.
    public func application(_ application: Application, didUpdateUserActivity userActivity: UserActivity) {
        self.application(application: application, didUpdateUserActivity: userActivity)
    }

    /// Adds nothing.
    public func application(application: Application, didUpdateUserActivity userActivity: UserActivity) {}

    /// Asks one form after the other whether the app takes an activity over.
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

/// Those that can restore.
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
