// SPDX-License-Identifier: Apache-2.0

import Crypto
import FoundationEssentials

/// The key K(a, b) of 32 bytes that two devices of a circle share, for their knocks and hails.
///
/// Documentation/Protocol/Channel.md specifies its derivation, and Tests/Vectors/knock.json has
/// vectors.
public struct PairwiseKey: Sendable, Hashable {
    /// The length of a key, in bytes.
    public static let byteCount = 32

    private let bytes: [UInt8]

    /// Calculates the key that this device shares with a peer. The peer calculates the same key.
    ///
    /// No other device can calculate the key, even if it claims the agreement key of one of the two
    /// as its own.
    ///
    /// - Parameters:
    ///   - own: This device.
    ///   - peer: The peer's keys, from the roster.
    ///   - circle: The circle's id.
    /// - Returns: `nil` if the agreement is all zero, as with a public key of small order. Anybody
    ///   could compute such a key (RFC 7748, section 6.1).
    public init?(own: DeviceIdentity, peer: DeviceKeys, circle: CircleID) {
        guard let key = try? Curve25519.KeyAgreement.PublicKey(rawRepresentation: peer.agreementKey) else { return nil }
        self.init(own: own.agreementKey, peer: key, devices: [own.id, peer.id], circle: circle)
    }

    init?(
        own: Curve25519.KeyAgreement.PrivateKey, peer: Curve25519.KeyAgreement.PublicKey, devices: [DeviceID],
        circle: CircleID
    ) {
        guard let agreement = try? own.sharedSecretFromKeyAgreement(with: peer) else { return nil }
        let shared = agreement.withUnsafeBytes { Array($0) }
        guard shared.reduce(0, |) != 0 else { return nil }
        let info = Array("baton pairwise 2".utf8) + devices.sorted().flatMap(\.bytes)
        bytes = hkdf(shared, salt: circle.bytes, info: info, byteCount: Self.byteCount)
    }

    /// Calculates the key that replaces a pairwise key in the knock of an invited device.
    ///
    /// - Parameter invitationSecret: The invitation's one-time secret of exactly 16 bytes. Other
    ///   lengths give `nil`.
    public init?(invitationSecret: [UInt8]) {
        guard invitationSecret.count == 16 else { return nil }
        bytes = hkdf(invitationSecret, salt: [], info: Array("baton invitation 1".utf8), byteCount: Self.byteCount)
    }

    /// Creates a key with known bytes, for vectors; returns `nil` unless there are exactly 32.
    public init?(bytes: some Sequence<UInt8>) {
        let bytes = Array(bytes)
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    /// Calculates HMAC-SHA256 with this key, cut to the first 16 bytes.
    func tag(_ parts: [UInt8]...) -> [UInt8] {
        var mac = HMAC<SHA256>(key: SymmetricKey(data: bytes))
        for part in parts { mac.update(data: part) }
        return Array(mac.finalize().prefix(16))
    }

    /// The secret that seals hails between the two devices: the key itself.
    ///
    /// Only hails use their HKDF label, so the same key can also serve for knocks.
    var hailSecret: CircleSecret { CircleSecret(pairwise: bytes) }

    /// The bytes of the key, for vectors only.
    var secretBytes: [UInt8] { bytes }
}

extension PairwiseKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A description without the bytes.
    public var description: String { "PairwiseKey(redacted)" }
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Hides the key from `dump` and from failed tests.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// Returns whether two byte strings are equal, in a time that depends only on their lengths.
func equalInConstantTime(_ left: some Collection<UInt8>, _ right: some Collection<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    var difference: UInt8 = 0
    for (a, b) in zip(left, right) { difference |= a ^ b }
    return difference == 0
}
