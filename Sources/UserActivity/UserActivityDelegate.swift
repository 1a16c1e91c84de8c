// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// What an activity tells the app that owns it; every member has a default that does nothing.
///
/// The members are those of Foundation's `NSUserActivityDelegate`. They are called where the host's
/// ``CallbackDelivery`` says, one at a time for an activity, never while a lock is held: all of
/// ``UserActivity`` may be used in them. A default tries the spellings of
/// ``OtherUserActivityDelegateForms`` first.
public protocol UserActivityDelegate: OtherUserActivityDelegateForms {
    /// The state is about to be read: put what has changed into `userActivity`.
    ///
    /// Called when the system needs the state and `needsSave` is true, which it no longer is
    /// afterwards.
    func userActivityWillSave(_ userActivity: UserActivity)

    /// Another device has continued the activity: its app accepted.
    func userActivityWasContinued(_ userActivity: UserActivity)

    /// The device that continued the activity has asked for streams.
    ///
    /// Both are closed yet: keep those that you want, give them a delegate, schedule and open them.
    /// One that is let go without having been opened is ended for you.
    ///
    /// - Parameters:
    ///   - userActivity: The activity.
    ///   - inputStream: What the other device's app writes.
    ///   - outputStream: What the other device's app reads.
    func userActivity(
        _ userActivity: UserActivity, didReceive inputStream: InputStream, outputStream: OutputStream)

    /// The same as a descriptor, for programs that move bytes themselves; asked first. Foundation's
    /// class has no such member.
    ///
    /// End of file on the descriptor does not mean whole, as ``ContinuationStreams`` says.
    ///
    /// - Parameters:
    ///   - userActivity: The activity.
    ///   - streams: Both directions at once.
    /// - Returns: Whether the streams are now the delegate's; if not, it gets Foundation's streams.
    func userActivity(_ userActivity: UserActivity, didReceive streams: ContinuationStreams) -> Bool
}

extension UserActivityDelegate {
    /// Does nothing: the state is as it was set.
    public func userActivityWillSave(_ userActivity: UserActivity) { userActivityWillSave(userActivity: userActivity) }
    /// Does nothing.
    public func userActivityWasContinued(_ userActivity: UserActivity) {
        userActivityWasContinued(userActivity: userActivity)
    }
    /// Lets both streams go.
    public func userActivity(
        _ userActivity: UserActivity, didReceive inputStream: InputStream, outputStream: OutputStream
    ) {
        self.userActivity(userActivity, didReceiveInputStream: inputStream, outputStream: outputStream)
    }
    /// Does not take the descriptor.
    public func userActivity(_ userActivity: UserActivity, didReceive streams: ContinuationStreams) -> Bool { false }
}
