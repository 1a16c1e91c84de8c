// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The members of ``UserActivityDelegate`` with their names in Swift 2 and Objective-C.
///
/// A delegate that implements one of these old forms would compile without this protocol, but
/// nothing would call that form. New code uses the form in ``UserActivityDelegate``. If a delegate
/// implements the new form, Baton calls none of the old forms.
public protocol OtherUserActivityDelegateForms: AnyObject {
    /// Swift 2's form of `userActivityWillSave(_:)`.
    func userActivityWillSave(userActivity: UserActivity)

    /// Swift 2's form of `userActivityWasContinued(_:)`.
    func userActivityWasContinued(userActivity: UserActivity)

    /// The Objective-C name of `userActivity(_:didReceive:outputStream:)`.
    func userActivity(
        _ userActivity: UserActivity, didReceiveInputStream inputStream: InputStream, outputStream: OutputStream)

    /// Swift 2's form of `userActivity(_:didReceive:outputStream:)`.
    func userActivity(
        userActivity: UserActivity, didReceiveInputStream inputStream: InputStream, outputStream: OutputStream)
}

extension OtherUserActivityDelegateForms {
    /// Does nothing.
    public func userActivityWillSave(userActivity: UserActivity) {}
    /// Does nothing.
    public func userActivityWasContinued(userActivity: UserActivity) {}
    /// Calls Swift 2's form.
    public func userActivity(
        _ userActivity: UserActivity, didReceiveInputStream inputStream: InputStream, outputStream: OutputStream
    ) {
        self.userActivity(
            userActivity: userActivity, didReceiveInputStream: inputStream, outputStream: outputStream)
    }
    /// Releases both streams.
    public func userActivity(
        userActivity: UserActivity, didReceiveInputStream inputStream: InputStream, outputStream: OutputStream
    ) {}
}
