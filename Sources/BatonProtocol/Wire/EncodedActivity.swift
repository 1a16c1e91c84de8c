// SPDX-License-Identifier: Apache-2.0

public import ActivityModel
import FoundationEssentials

/// An activity with its encoding, which is made once and sent to each device that continues it.
public struct EncodedActivity: Hashable, Sendable {
    /// The state of the activity.
    public let state: ActivityState
    /// The number of bytes in its userInfo, its texts and its keys.
    ///
    /// The size is stored, because the sizes of all activities are added up at each update.
    public let size: Int
    /// The wire message, with the userInfo as bytes.
    let message: WireActivityState

    /// Encodes an activity of an app on this device.
    ///
    /// - Throws: ``WireError`` if the activity cannot be sent.
    public init(_ state: ActivityState) throws(WireError) {
        message = try WireActivityState(checking: state)
        (self.state, size) = (state, message.size)
    }

    /// Decodes an activity from another device.
    init(received message: WireActivityState) throws(WireError) {
        state = try message.checked()
        (self.message, size) = (message, message.size)
    }

    /// The number of bytes in its userInfo.
    ///
    /// Warn the app if the number exceeds ``UserInfoCoding/advisedSize``.
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
