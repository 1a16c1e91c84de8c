// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// A circle that was created or joined: the answer of `Circle.Create` and `Circle.Join`.
public struct CircleSummary: Hashable, Sendable {
    /// The circle's id.
    public var circle: String
    /// This device's id in the circle.
    public var device: String
    /// This device's name in the circle.
    public var deviceName: String
    /// All devices of the circle.
    public var members: [CircleMember]

    /// Creates a summary of a circle.
    public init(circle: String, device: String, deviceName: String, members: [CircleMember] = []) {
        self.circle = circle
        self.device = device
        self.deviceName = deviceName
        self.members = members
    }
}

/// A pairing that waits for its users to compare digits: the answer of `Circle.Pair`.
public struct PairingDigits: Hashable, Sendable {
    /// The pairing's id.
    public var pairing: String
    /// Six decimal digits. The other device shows the same digits unless an attacker is between the
    /// two devices.
    public var digits: String

    /// Creates a pairing with its digits.
    public init(pairing: String, digits: String) {
        self.pairing = pairing
        self.digits = digits
    }
}

/// A pairing that waits for another device to read its code: the answer of `Circle.PairByCode`.
public struct PairingCode: Hashable, Sendable {
    /// The pairing's id.
    public var pairing: String
    /// The code's text, which is the text of an invitation.
    public var code: String
    /// The time at which the pairing ends, in whole seconds.
    public var expires: Date

    /// Creates a pairing with its code.
    public init(pairing: String, code: String, expires: Date) {
        self.pairing = pairing
        self.code = code
        self.expires = expires
    }
}

/// An invitation to this device's circle: the answer of `Circle.Invite`.
public struct CircleInvitation: Hashable, Sendable {
    /// The text to carry to the other device, in a file that only its user can read.
    public var text: String
    /// The time at which the invitation ends, in whole seconds.
    public var expires: Date

    /// Creates an invitation.
    public init(text: String, expires: Date) {
        self.text = text
        self.expires = expires
    }
}
