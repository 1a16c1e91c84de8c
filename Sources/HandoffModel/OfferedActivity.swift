// SPDX-License-Identifier: Apache-2.0

/// What is known of an offer's activity before it is fetched.
public struct OfferedActivity: Hashable, Sendable {
    /// Whether it was given away by this device, or is open on it.
    public var isFromHere: Bool
    /// Which activity of its type it is: the number is another one when the activity is.
    public var number: UInt32
    /// To whose account it goes: the offering device's own, or that of the device by way of which
    /// alone it came into the circle.
    public var account: String

    /// An activity.
    public init(isFromHere: Bool, number: UInt32, account: String) {
        self.isFromHere = isFromHere
        self.number = number
        self.account = account
    }
}
