// SPDX-License-Identifier: Apache-2.0

/// What an activity tells the app that owns it; every member has a default that does nothing.
///
/// The members are those of Foundation's `NSUserActivityDelegate`. They are called on the task of the activity's
/// ``UserActivityHost``, one at a time for an activity, never while a lock is held: all of ``UserActivity`` may be used in them.
public protocol UserActivityDelegate: AnyObject {
    /// The state is about to be read: put what has changed into `userActivity`.
    ///
    /// Called when the system needs the state and `needsSave` is true, which it no longer is afterwards.
    func userActivityWillSave(_ userActivity: UserActivity)

    /// Another device has continued the activity: its app accepted.
    func userActivityWasContinued(_ userActivity: UserActivity)

    /// The device that continued the activity has asked for streams.
    ///
    /// - Parameters:
    ///   - userActivity: The activity.
    ///   - streams: Both directions at once.
    /// - Returns: Whether the streams are now the delegate's; if not, they are closed.
    func userActivity(_ userActivity: UserActivity, didReceive streams: ContinuationStreams) -> Bool
}

extension UserActivityDelegate {
    /// Does nothing: the state is as it was set.
    public func userActivityWillSave(_ userActivity: UserActivity) {}
    /// Does nothing.
    public func userActivityWasContinued(_ userActivity: UserActivity) {}
    /// Does not take the streams.
    public func userActivity(_ userActivity: UserActivity, didReceive streams: ContinuationStreams) -> Bool { false }
}
