// SPDX-License-Identifier: Apache-2.0

/// An object that carries the activities of an app to other devices.
///
/// The module `Baton` has two hosts: one uses the daemon, the other works inside a process. The
/// functions are called on any thread that the app uses. The functions are called without a lock
/// held, and must return soon. An app has one host. The activity that became current last is the
/// host's current one.
public protocol UserActivityHost: AnyObject, Sendable {
    /// The place where the callbacks of this host's activities run.
    var callbackDelivery: CallbackDelivery { get }

    /// Offers the activity that the user now works with, in place of the previous activity.
    func activityBecameCurrent(_ activity: UserActivity)

    /// Stops offering the activity that was current, but keeps it.
    ///
    /// Called when the activity is no longer current. Also called when an activity that must not be
    /// offered has replaced the current one.
    func activityResignedCurrent(_ activity: UserActivity)

    /// Records that a property has changed, or that `needsSave` has become true.
    ///
    /// The host should combine changes that follow each other closely.
    func activityChanged(_ activity: UserActivity)

    /// Removes an activity from every device, because it has ended.
    func activityInvalidated(_ activity: UserActivity)

    /// Removes an activity that the app released without invalidating it.
    func activityReleased(_ identity: UserActivity.Identity)

    /// Passes a one-line warning to the app's developer. Each warning comes once.
    func activityWarning(_ text: String)
}

extension UserActivityHost {
    /// The host's own task, by default.
    public var callbackDelivery: CallbackDelivery { .immediate }
    /// Does nothing.
    public func activityReleased(_ identity: UserActivity.Identity) {}
    /// Does nothing.
    public func activityWarning(_ text: String) {}
}

/// The app on another device that a continued activity came from.
public protocol ContinuationOrigin: AnyObject, Sendable {
    /// Opens a pair of streams to the app.
    ///
    /// - Returns: The streams, not opened yet.
    /// - Throws: A `CocoaError` with one of the `userActivity…` codes.
    func openStreams() async throws -> ContinuationPair
}
