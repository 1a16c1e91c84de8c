// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The calls that an activity makes to the app that owns it. Every member has a default.
///
/// The members are the same as in Foundation's `NSUserActivityDelegate`. Baton calls these members
/// in the place that the host's ``CallbackDelivery`` names, one at a time for an activity. No lock
/// is held, so all of ``UserActivity`` may be used in them. The defaults call the members of
/// ``OtherUserActivityDelegateForms``.
public protocol UserActivityDelegate: OtherUserActivityDelegateForms {
    /// Called before the state is read. Put your changes into `userActivity`.
    ///
    /// Baton calls this when it needs the state and `needsSave` is true. Afterwards `needsSave` is
    /// false.
    func userActivityWillSave(_ userActivity: UserActivity)

    /// Called when another device's app has accepted the activity.
    func userActivityWasContinued(_ userActivity: UserActivity)

    /// Called when the device that continued the activity has asked for streams.
    ///
    /// Neither stream is open yet. Keep the streams that you want, give them a delegate, schedule
    /// and open them. Baton ends a stream that you release without opening it.
    ///
    /// - Parameters:
    ///   - userActivity: The activity.
    ///   - inputStream: The stream of bytes that the other device's app writes.
    ///   - outputStream: The stream of bytes that the other device's app reads.
    func userActivity(_ userActivity: UserActivity, didReceive inputStream: InputStream, outputStream: OutputStream)

    /// Called first with the streams as a file descriptor, for programs that move bytes themselves.
    ///
    /// Foundation's class has no such member.
    ///
    /// End of file on that descriptor does not mean that all bytes have arrived. See
    /// ``ContinuationStreams``.
    ///
    /// - Parameters:
    ///   - userActivity: The activity.
    ///   - streams: Both directions in one file descriptor.
    /// - Returns: Whether the delegate now owns the streams. If not, the delegate gets Foundation's
    ///   streams.
    func userActivity(_ userActivity: UserActivity, didReceive streams: ContinuationStreams) -> Bool
}

extension UserActivityDelegate {
    /// Calls Swift 2's form, whose default leaves the state unchanged.
    public func userActivityWillSave(_ userActivity: UserActivity) { userActivityWillSave(userActivity: userActivity) }
    /// Calls Swift 2's form, whose default does nothing.
    public func userActivityWasContinued(_ userActivity: UserActivity) {
        userActivityWasContinued(userActivity: userActivity)
    }
    /// Calls the Objective-C name, whose default releases both streams.
    public func userActivity(
        _ userActivity: UserActivity, didReceive inputStream: InputStream, outputStream: OutputStream
    ) {
        self.userActivity(userActivity, didReceiveInputStream: inputStream, outputStream: outputStream)
    }
    /// Leaves the file descriptor to Baton.
    public func userActivity(_ userActivity: UserActivity, didReceive streams: ContinuationStreams) -> Bool { false }
}
