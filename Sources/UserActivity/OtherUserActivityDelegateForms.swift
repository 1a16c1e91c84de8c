// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The members of ``UserActivityDelegate`` as Swift 2 and Objective-C spell them: whoever writes
/// one of these from memory has it called.
///
/// Without the requirements such a member would compile, and nothing would call it. New code writes
/// the form in ``UserActivityDelegate``, which is called alone where a delegate has it.
public protocol OtherUserActivityDelegateForms: AnyObject {
    /// Swift 2's form.
    func userActivityWillSave(userActivity: UserActivity)

    /// Swift 2's form.
    func userActivityWasContinued(userActivity: UserActivity)

    /// Objective-C's name.
    func userActivity(
        _ userActivity: UserActivity, didReceiveInputStream inputStream: InputStream, outputStream: OutputStream)

    /// Swift 2's form.
    func userActivity(
        userActivity: UserActivity, didReceiveInputStream inputStream: InputStream, outputStream: OutputStream)
}

extension OtherUserActivityDelegateForms {
    /// Does nothing.
    public func userActivityWillSave(userActivity: UserActivity) {}
    /// Does nothing.
    public func userActivityWasContinued(userActivity: UserActivity) {}
    /// Tries Swift 2's form.
    public func userActivity(
        _ userActivity: UserActivity, didReceiveInputStream inputStream: InputStream, outputStream: OutputStream
    ) {
        self.userActivity(
            userActivity: userActivity, didReceiveInputStream: inputStream, outputStream: outputStream)
    }
    /// Lets both streams go.
    public func userActivity(
        userActivity: UserActivity, didReceiveInputStream inputStream: InputStream, outputStream: OutputStream
    ) {}
}
