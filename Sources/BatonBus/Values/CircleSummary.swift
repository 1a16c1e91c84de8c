// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// A circle that was created or joined: the answer of `Circle.Create` and `Circle.Join`.
public struct CircleSummary: Hashable, Sendable {
    /// The circle's id.
    public var circle: String
    /// This device's id in it.
    public var device: String
    /// This device's name in it.
    public var deviceName: String
    /// All its devices.
    public var members: [CircleMember]

    /// A circle.
    public init(circle: String, device: String, deviceName: String, members: [CircleMember] = []) {
        self.circle = circle
        self.device = device
        self.deviceName = deviceName
        self.members = members
    }
}

/// A pairing that waits for its users: the answer of `Circle.Pair`.
public struct PairingDigits: Hashable, Sendable {
    /// Names the pairing.
    public var pairing: String
    /// Six decimal digits, which the other device shows too unless somebody is between the two.
    public var digits: String

    /// A pairing with its digits.
    public init(pairing: String, digits: String) {
        self.pairing = pairing
        self.digits = digits
    }
}

/// A pairing that waits for the one device that reads its code: the answer of `Circle.PairByCode`.
public struct PairingCode: Hashable, Sendable {
    /// Names the pairing.
    public var pairing: String
    /// The code's text, which is an invitation's.
    public var code: String
    /// When it ends, to the second.
    public var expires: Date

    /// A pairing with its code.
    public init(pairing: String, code: String, expires: Date) {
        self.pairing = pairing
        self.code = code
        self.expires = expires
    }
}

/// An invitation to this device's circle: the answer of `Circle.Invite`.
public struct CircleInvitation: Hashable, Sendable {
    /// The text to carry to the other device, by a file that only its user can read.
    public var text: String
    /// When it ends, to the second.
    public var expires: Date

    /// An invitation.
    public init(text: String, expires: Date) {
        self.text = text
        self.expires = expires
    }
}
