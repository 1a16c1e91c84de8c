// SPDX-License-Identifier: Apache-2.0

public import ActivityModel
import FoundationEssentials

/// An activity with what the wire carries of it, which is made once, when an app has changed it,
/// and sent as often as other devices continue it.
public struct EncodedActivity: Hashable, Sendable {
    /// What travels of the activity.
    public let state: ActivityState
    /// The same, as a message whose userInfo is bytes already.
    let message: WireActivityState

    /// Encodes an activity.
    ///
    /// - Throws: ``HandoffError`` with `userInfoTooLarge` or `invalidActivity` when it cannot be
    ///   sent.
    public init(_ state: ActivityState) throws(HandoffError) {
        do { message = try WireActivityState(checking: state) } catch { throw HandoffError(error) }
        self.state = state
    }

    /// What another device has sent.
    init(received message: WireActivityState) throws(WireError) {
        state = try message.checked()
        self.message = message
    }

    /// How many bytes its userInfo has; above ``UserInfoCoding/advisedSize`` the publisher deserves
    /// a warning.
    public var userInfoSize: Int { message.userInfo.count }

    /// How many bytes its userInfo, its texts and its keys have.
    public var size: Int {
        let texts = [
            message.activityType, message.title, message.targetContentIdentifier, message.persistentIdentifier,
            message.webpageURL.text, message.webpageURL.base, message.referrerURL.text, message.referrerURL.base,
        ]
        return (texts + message.requiredUserInfoKeys).reduce(userInfoSize) { $0 + $1.utf8.count }
    }
}
