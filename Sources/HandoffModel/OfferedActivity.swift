// SPDX-License-Identifier: Apache-2.0

/// The facts about an offered activity that are known before the activity is fetched.
public struct OfferedActivity: Hashable, Sendable {
    /// Whether this device handed the activity over or has it open.
    public var isFromHere: Bool
    /// A number that distinguishes activities of the same type. A new activity has a new number.
    public var number: UInt32
    /// The device whose limits the activity counts against.
    ///
    /// This is usually the offering device. If that device is in the circle only because of another
    /// device, this is the other device.
    public var account: String

    /// Creates the facts about an activity.
    public init(isFromHere: Bool, number: UInt32, account: String) {
        self.isFromHere = isFromHere
        self.number = number
        self.account = account
    }
}
