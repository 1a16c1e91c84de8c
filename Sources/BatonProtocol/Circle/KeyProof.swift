// SPDX-License-Identifier: Apache-2.0

import Crypto
import FoundationEssentials

/// A proof that a device holds the private parts of its certificate key and its signing key.
///
/// Both keys sign the circle's id and the device's id, which is a digest of all three public keys.
/// So nobody can add a device that claims another device's certificate key or signing key. The
/// agreement key cannot sign. Claiming another device's agreement key is useless, because
/// ``PairwiseKey`` depends on the ids of both devices. Source: `Documentation/Protocol/Circle.md`,
/// "Statements and roster".
struct KeyProof: Hashable, Sendable {
    /// ECDSA with P-256 and SHA-256, r and s in raw form.
    let certificateSignature: [UInt8]
    /// An Ed25519 signature.
    let signingSignature: [UInt8]

    private static let signatureLength = 64
    private static let label = Array("baton keys 1".utf8)

    /// Creates a device's proof of its own keys.
    init(of identity: DeviceIdentity, in circle: CircleID) throws {
        try self.init(
            of: identity.id, in: circle, certificateKey: identity.certificateKey, signingKey: identity.signingKey)
    }

    /// Creates a proof from two keys. Tests also pass keys that are not the device's own.
    init(
        of device: DeviceID, in circle: CircleID, certificateKey: P256.Signing.PrivateKey,
        signingKey: Curve25519.Signing.PrivateKey
    ) throws {
        let signed = Self.signed(device, circle)
        certificateSignature = Array(try certificateKey.signature(for: signed).rawRepresentation)
        signingSignature = Array(try signingKey.signature(for: signed))
    }

    /// Reads a received proof.
    ///
    /// - Throws: ``CircleError/malformed`` when a signature has the wrong length, or is missing, as
    ///   in earlier versions.
    init(_ message: WireKeyProof) throws {
        certificateSignature = Array(message.certificateSignature)
        signingSignature = Array(message.signingSignature)
        guard certificateSignature.count == Self.signatureLength, signingSignature.count == Self.signatureLength else {
            throw CircleError.malformed(
                "proof of a device's keys; earlier versions of Baton make none: update it there")
        }
    }

    /// Returns whether the proof is valid for these keys and this circle.
    func holds(for keys: DeviceKeys, in circle: CircleID) -> Bool {
        let signed = Self.signed(keys.id, circle)
        guard keys.isSignature(signingSignature, of: signed),
            let key = try? P256.Signing.PublicKey(x963Representation: keys.certificateKey),
            let signature = try? P256.Signing.ECDSASignature(rawRepresentation: certificateSignature)
        else { return false }
        return key.isValidSignature(signature, for: signed)
    }

    private static func signed(_ device: DeviceID, _ circle: CircleID) -> [UInt8] {
        label + circle.bytes + device.bytes
    }

    var message: WireKeyProof {
        var message = WireKeyProof()
        message.certificateSignature = Data(certificateSignature)
        message.signingSignature = Data(signingSignature)
        return message
    }
}
