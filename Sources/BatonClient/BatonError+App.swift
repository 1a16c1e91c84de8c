// SPDX-License-Identifier: Apache-2.0

@_spi(Reported) public import HandoffModel

extension BatonError {
    /// Creates an error in an app's own words.
    ///
    /// An app throws this error to refuse an activity. Baton shows the message to the user, as the
    /// reason why the app did not continue the activity.
    ///
    /// - Parameters:
    ///   - code: The kind of error, such as `notReady`.
    ///   - message: The reason in a few words, such as `the disk is full`.
    public init(_ code: Code, appMessage message: String) { self.init(code, reported: message) }
}
