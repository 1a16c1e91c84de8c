// SPDX-License-Identifier: Apache-2.0

import Crypto
import FoundationEssentials

/// A member's signed statement about the secret that the circle's beacons use.
///
/// Among several usable records, the one with the highest number counts. If their numbers are
/// equal, the one with the smallest digest of the secret counts. Source:
/// `Documentation/Protocol/Circle.md`, "Secret record".
struct SecretRecord: Hashable, Sendable {
    let number: UInt32
    let removalsDigest: [UInt8]
    let secretDigest: [UInt8]
    let signer: DeviceID
    let signature: [UInt8]

    private static let label = Array("baton secret 1".utf8)

    /// Creates the record of a new secret.
    ///
    /// After 2^32 − 1, the number stays the same, and the smallest digest decides between records.
    ///
    /// - Parameter number: The number of the former record; 0 for the first one.
    init(after number: UInt32, secret: CircleSecret, in roster: Roster, signer: DeviceIdentity) throws {
        let (next, overflow) = number.addingReportingOverflow(1)
        try self.init(
            number: overflow ? .max : next, secret: secret, circle: roster.circle,
            removals: roster.removalsDigest, signer: signer)
    }

    init(number: UInt32, secret: CircleSecret, circle: CircleID, removals: [UInt8], signer: DeviceIdentity) throws {
        self.number = number
        removalsDigest = removals
        secretDigest = Array(SHA256.hash(data: secret.secretBytes))
        self.signer = signer.id
        signature = try signer.signature(for: Self.signed(number, removalsDigest, secretDigest, signer.id, circle))
    }

    init(_ message: WireSecretRecord) throws {
        guard message.removalsDigest.count == 32, message.secretDigest.count == 32, message.signature.count == 64,
            let signer = DeviceID(bytes: message.signer)
        else { throw CircleError.malformed("secret record") }
        number = message.number
        removalsDigest = Array(message.removalsDigest)
        secretDigest = Array(message.secretDigest)
        self.signer = signer
        signature = Array(message.signature)
    }

    /// Returns whether a member signed the record, for this secret and the roster's removals.
    func isUsable(for secret: CircleSecret, in roster: Roster) -> Bool {
        guard let member = roster.members[signer], removalsDigest == roster.removalsDigest,
            secretDigest == Array(SHA256.hash(data: secret.secretBytes))
        else { return false }
        return member.keys.isSignature(
            signature, of: Self.signed(number, removalsDigest, secretDigest, signer, roster.circle))
    }

    func isPreferred(to other: SecretRecord) -> Bool {
        number != other.number
            ? number > other.number : secretDigest.lexicographicallyPrecedes(other.secretDigest)
    }

    var message: WireSecretRecord {
        var message = WireSecretRecord()
        message.number = number
        message.removalsDigest = Data(removalsDigest)
        message.secretDigest = Data(secretDigest)
        message.signer = Data(signer.bytes)
        message.signature = Data(signature)
        return message
    }

    private static func signed(
        _ number: UInt32, _ removals: [UInt8], _ secret: [UInt8], _ signer: DeviceID, _ circle: CircleID
    ) -> [UInt8] {
        label + circle.bytes + withUnsafeBytes(of: number.bigEndian, Array.init) + removals + secret + signer.bytes
    }
}
