// SPDX-License-Identifier: Apache-2.0

import Crypto
import FoundationEssentials

/// The key K(a, b) that two devices of a circle share and that their knocks are made with. 32
/// bytes.
///
/// Documentation/Protocol/Channel.md gives its derivation; Tests/Vectors/knock.json has vectors.
public struct PairwiseKey: Sendable, Hashable {
    /// Bytes in a key.
    public static let byteCount = 32

    private let bytes: [UInt8]

    /// The key of this device and a peer, the same on both sides, and no other device's, even if
    /// its agreement key is a copy.
    ///
    /// - Parameters:
    ///   - own: This device.
    ///   - peer: The peer's keys, from the roster.
    ///   - circle: The circle's id.
    /// - Returns: `nil` when the agreement is all zero, which a public key of small order gives:
    ///   anybody could compute such a key (RFC 7748, section 6.1).
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

    /// The key that stands in for a pairwise one while an invitation is redeemed.
    ///
    /// - Parameter invitationSecret: The invitation's one-time secret, exactly 16 bytes; `nil`
    ///   otherwise.
    public init?(invitationSecret: [UInt8]) {
        guard invitationSecret.count == 16 else { return nil }
        bytes = hkdf(
            invitationSecret, salt: [], info: Array("baton invitation 1".utf8), byteCount: Self.byteCount)
    }

    /// A key with known bytes, for vectors; `nil` unless there are exactly 32.
    public init?(bytes: some Sequence<UInt8>) {
        let bytes = Array(bytes)
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    /// HMAC-SHA256 under this key, cut to its first 16 bytes.
    func tag(_ parts: [UInt8]...) -> [UInt8] {
        var mac = HMAC<SHA256>(key: SymmetricKey(data: bytes))
        for part in parts { mac.update(data: part) }
        return Array(mac.finalize().prefix(16))
    }

    /// What hails between the two devices are sealed with: the key itself, whose HKDF label no
    /// other use has.
    var hailSecret: CircleSecret { CircleSecret(pairwise: bytes) }

    /// The key's bytes: for vectors only.
    var secretBytes: [UInt8] { bytes }
}

extension PairwiseKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Says what it is, without its bytes.
    public var description: String { "PairwiseKey(redacted)" }
    /// As ``description``.
    public var debugDescription: String { description }
    /// Shows nothing, so that `dump` and a failed test do not print the key.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// Whether two byte strings are equal, in a time that depends on their lengths only.
func equalInConstantTime(_ left: some Collection<UInt8>, _ right: some Collection<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    var difference: UInt8 = 0
    for (a, b) in zip(left, right) { difference |= a ^ b }
    return difference == 0
}
