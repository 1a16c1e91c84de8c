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
    ///   - streams: Both directions at once; whoever takes the call owns them. Nobody taking them closes them.
    func userActivity(_ userActivity: UserActivity, didReceive streams: ContinuationStreams)
}

extension UserActivityDelegate {
    public func userActivityWillSave(_ userActivity: UserActivity) {}
    public func userActivityWasContinued(_ userActivity: UserActivity) {}
    public func userActivity(_ userActivity: UserActivity, didReceive streams: ContinuationStreams) {}
}
