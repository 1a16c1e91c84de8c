// SPDX-License-Identifier: Apache-2.0

public import ActivityModel
import FoundationEssentials

/// An activity with what the wire carries of it, which is made once, when an app has changed it,
/// and sent as often as other devices continue it.
public struct EncodedActivity: Hashable, Sendable {
    /// What travels of the activity.
    public let state: ActivityState
    /// How many bytes its userInfo, its texts and its keys have: counted once, for what all
    /// activities have is added up at each update.
    public let size: Int
    /// What travels, as a message whose userInfo is bytes already.
    let message: WireActivityState

    /// Encodes an activity.
    ///
    /// - Throws: ``HandoffError`` with `userInfoTooLarge` or `invalidActivity` when it cannot be
    ///   sent.
    public init(_ state: ActivityState) throws(HandoffError) {
        do { message = try WireActivityState(checking: state) } catch { throw HandoffError(error) }
        (self.state, size) = (state, message.size)
    }

    /// What another device has sent.
    init(received message: WireActivityState) throws(WireError) {
        state = try message.checked()
        (self.message, size) = (message, message.size)
    }

    /// How many bytes its userInfo has; above ``UserInfoCoding/advisedSize`` the publisher deserves
    /// a warning.
    public var userInfoSize: Int { message.userInfo.count }
}

extension WireActivityState {
    fileprivate var size: Int {
        let texts = [
            activityType, title, targetContentIdentifier, persistentIdentifier, webpageURL.text, webpageURL.base,
            referrerURL.text, referrerURL.base,
        ]
        return (texts + requiredUserInfoKeys).reduce(userInfo.count) { $0 + $1.utf8.count }
    }
}
