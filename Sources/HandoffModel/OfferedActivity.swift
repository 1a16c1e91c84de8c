// SPDX-License-Identifier: Apache-2.0

/// The facts about an offer's activity that are known before it is fetched.
public struct OfferedActivity: Hashable, Sendable {
    /// Whether this device handed the activity over, or has it open.
    public var isFromHere: Bool
    /// A number that distinguishes activities of the same type. A new activity has a new number.
    public var number: UInt32
    /// The device whose limits count for the activity.
    ///
    /// It is the offering device, or the device that is the only way by which it came into the
    /// circle.
    public var account: String

    /// Creates the facts about an activity.
    public init(isFromHere: Bool, number: UInt32, account: String) {
        self.isFromHere = isFromHere
        self.number = number
        self.account = account
    }
}
