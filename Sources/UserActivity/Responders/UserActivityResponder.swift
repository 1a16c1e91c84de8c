// SPDX-License-Identifier: Apache-2.0

/// What can take over an activity that was continued: a responder, a document, or any object of the
/// app's.
///
/// As with UIKit's classes, only Swift 6 is strict about the main actor: code in the language mode
/// of Swift 5 may call it from classes that belong to no actor.
@preconcurrency @MainActor
public protocol UserActivityRestoring: AnyObject {
    /// Takes over what another device was doing.
    func restoreUserActivityState(_ activity: UserActivity)
}

/// A part of an app that shows or holds what the user is doing: a window, a view's controller, a
/// document.
///
/// The counterpart of what `UIResponder` and `NSResponder` have for activities, free of any
/// toolkit: a class adopts it, gets ``userActivity`` with it, and tells its
/// ``ResponderCoordinator`` what is on the screen. Like these it belongs to the main actor.
///
/// A class does not declare ``userActivity`` itself: that would hide the responder's, and nobody
/// would ask for its updates. ``ResponderWithoutOwnUserActivity`` has the compiler say so.
@preconcurrency @MainActor
public protocol UserActivityResponder: ResponderMembers, ResponderWithoutOwnUserActivity {}

/// The members of ``UserActivityResponder``, which a class adopts in place of this protocol.
@preconcurrency @MainActor
public protocol ResponderMembers: UserActivityRestoring {
    /// Puts this responder's part of the state into an activity; overrides add to it and, in a
    /// subclass, call `super`.
    ///
    /// Called when the activity is to be saved, its userInfo emptied before. All responders that
    /// share the activity are asked. If neither they nor the delegate add anything, userInfo is
    /// what the app set directly.
    func updateUserActivityState(_ activity: UserActivity)

    /// Swift 2's form, which the default of the one above calls.
    func updateUserActivityState(activity: UserActivity)

    /// Swift 2's form, with AppKit's label.
    func updateUserActivityState(userActivity: UserActivity)

    /// Swift 2's form of restoring, which the default of today's calls.
    func restoreUserActivityState(activity: UserActivity)

    /// Swift 2's form of restoring, with AppKit's label.
    func restoreUserActivityState(userActivity: UserActivity)

    /// Whose chain goes on here: a view's window, for instance.
    var nextResponder: (any UserActivityResponder)? { get }

    /// Whether it is on the screen, presented ones included. One that is not is passed over.
    var isVisible: Bool { get }

    /// Who looks after this responder's activity: ``ResponderCoordinator/shared``, where there are
    /// not two apps in one process.
    var activityCoordinator: ResponderCoordinator { get }
}

extension ResponderMembers {
    /// Adds nothing.
    public func updateUserActivityState(_ activity: UserActivity) { updateUserActivityState(activity: activity) }
    /// Tries AppKit's label.
    public func updateUserActivityState(activity: UserActivity) { updateUserActivityState(userActivity: activity) }
    /// Adds nothing.
    public func updateUserActivityState(userActivity: UserActivity) {}
    /// Takes nothing; override it, and pass the activity on to the children.
    public func restoreUserActivityState(_ activity: UserActivity) { restoreUserActivityState(activity: activity) }
    /// Tries AppKit's label.
    public func restoreUserActivityState(activity: UserActivity) { restoreUserActivityState(userActivity: activity) }
    /// Takes nothing.
    public func restoreUserActivityState(userActivity: UserActivity) {}
    /// The end of its chain.
    public var nextResponder: (any UserActivityResponder)? { nil }
    /// The program's.
    public var activityCoordinator: ResponderCoordinator { .shared }
    /// It is.
    public var isVisible: Bool { true }

    /// The activity that this responder is about. Several responders may have the same.
    ///
    /// Setting it makes the coordinator look again which activity is current. An activity that no
    /// responder has any more is invalidated. Set nil to detach the responder; it is detached too
    /// when it goes.
    public var userActivity: UserActivity? {
        get { activityCoordinator.activity(of: self) }
        set { (self as? any UserActivityResponder).map { activityCoordinator.setActivity(newValue, of: $0) } }
    }
}
