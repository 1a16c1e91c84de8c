// SPDX-License-Identifier: Apache-2.0

/// An object that can take over a continued activity, such as a responder or a document.
///
/// As with UIKit's classes, only Swift 6 enforces the main actor. Code in Swift 5's language mode
/// may call these members from classes that belong to no actor.
@preconcurrency @MainActor
public protocol UserActivityRestoring: AnyObject {
    /// Shows the place where the user was on the other device.
    func restoreUserActivityState(_ activity: UserActivity)
}

/// A part of an app that shows or holds what the user is doing, such as a window or a document.
///
/// The protocol corresponds to the activity members of `UIResponder` and `NSResponder`, for any
/// toolkit. A class adopts it and so gets ``userActivity``. The class tells its
/// ``ResponderCoordinator`` what is on the screen. Responders belong to the main actor.
///
/// A class must not declare ``userActivity`` itself. The class's own property would hide the
/// responder's, so Baton would never ask the class for its part of the state.
/// ``ResponderWithoutOwnUserActivity`` makes the compiler report this mistake.
@preconcurrency @MainActor
public protocol UserActivityResponder: ResponderMembers, ResponderWithoutOwnUserActivity {}

/// The members of ``UserActivityResponder``. Classes adopt ``UserActivityResponder``, not this
/// protocol.
@preconcurrency @MainActor
public protocol ResponderMembers: UserActivityRestoring {
    /// Adds this responder's part of the state to an activity.
    ///
    /// Called on all responders that share the activity when the activity is saved, after userInfo
    /// was emptied. An override in a subclass must also call `super`. If neither the responders nor
    /// the delegate add anything, userInfo keeps the entries that the app set directly.
    func updateUserActivityState(_ activity: UserActivity)

    /// Swift 2's form of updating. The default of `updateUserActivityState(_:)` calls it.
    func updateUserActivityState(activity: UserActivity)

    /// Swift 2's form of updating, with AppKit's label.
    func updateUserActivityState(userActivity: UserActivity)

    /// Swift 2's form of restoring. The default of `restoreUserActivityState(_:)` calls it.
    func restoreUserActivityState(activity: UserActivity)

    /// Swift 2's form of restoring, with AppKit's label.
    func restoreUserActivityState(userActivity: UserActivity)

    /// The next responder in the chain, such as a view's window, or nil at the end of the chain.
    var nextResponder: (any UserActivityResponder)? { get }

    /// Whether the responder is on the screen, including presented responders.
    ///
    /// Invisible responders are skipped.
    var isVisible: Bool { get }

    /// The coordinator that manages this responder's activity.
    ///
    /// The value is ``ResponderCoordinator/shared``, except in a process with two apps.
    var activityCoordinator: ResponderCoordinator { get }
}

extension ResponderMembers {
    /// Calls Swift 2's form, which adds nothing by default.
    public func updateUserActivityState(_ activity: UserActivity) { updateUserActivityState(activity: activity) }
    /// Calls the form with AppKit's label.
    public func updateUserActivityState(activity: UserActivity) { updateUserActivityState(userActivity: activity) }
    /// Adds nothing.
    public func updateUserActivityState(userActivity: UserActivity) {}
    /// Calls Swift 2's form, which does nothing by default.
    ///
    /// Override this, and pass the activity on to children.
    public func restoreUserActivityState(_ activity: UserActivity) { restoreUserActivityState(activity: activity) }
    /// Calls the form with AppKit's label.
    public func restoreUserActivityState(activity: UserActivity) { restoreUserActivityState(userActivity: activity) }
    /// Does nothing.
    public func restoreUserActivityState(userActivity: UserActivity) {}
    /// Nil by default, because the chain ends here.
    public var nextResponder: (any UserActivityResponder)? { nil }
    /// The program's coordinator, by default.
    public var activityCoordinator: ResponderCoordinator { .shared }
    /// True by default.
    public var isVisible: Bool { true }

    /// The activity to which this responder contributes. Several responders may share one activity.
    ///
    /// After each change, the coordinator decides again which activity is current. An activity that
    /// no responder holds any more is invalidated. Set nil to detach the responder. A responder is
    /// also detached when it is released.
    public var userActivity: UserActivity? {
        get { activityCoordinator.activity(of: self) }
        set { (self as? any UserActivityResponder).map { activityCoordinator.setActivity(newValue, of: $0) } }
    }
}
