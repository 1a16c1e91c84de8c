// SPDX-License-Identifier: Apache-2.0

import Crypto
import FoundationEssentials

/// Shows that a device holds the private halves of its certificate key and its signing key, for one
/// circle.
///
/// Both keys sign for the circle's id and the device's, which is a digest of all three keys: nobody
/// can take a device in that has another's keys among its own. Its agreement key cannot sign; a
/// copied one is of no use, for ``PairwiseKey`` names both devices. Source:
/// `Documentation/Protocol/Circle.md`, "Statements and roster".
struct KeyProof: Hashable, Sendable {
    /// ECDSA with P-256 and SHA-256 in raw form, r and s.
    let certificateSignature: [UInt8]
    /// Ed25519.
    let signingSignature: [UInt8]

    /// The length of either signature in bytes.
    private static let signatureLength = 64
    private static let label = Array("baton keys 1".utf8)

    /// A device's proof of its own keys.
    init(of identity: DeviceIdentity, in circle: CircleID) throws {
        try self.init(
            of: identity.id, in: circle, certificateKey: identity.certificateKey, signingKey: identity.signingKey)
    }

    /// What two keys can show of a device, whether they are its own or not.
    init(
        of device: DeviceID, in circle: CircleID, certificateKey: P256.Signing.PrivateKey,
        signingKey: Curve25519.Signing.PrivateKey
    ) throws {
        let signed = Self.signed(device, circle)
        certificateSignature = Array(try certificateKey.signature(for: signed).rawRepresentation)
        signingSignature = Array(try signingKey.signature(for: signed))
    }

    /// A proof as received.
    ///
    /// - Throws: ``CircleError/malformed`` when a signature is missing, as in what versions before
    ///   this one said, or has another length.
    init(_ message: WireKeyProof) throws {
        certificateSignature = Array(message.certificateSignature)
        signingSignature = Array(message.signingSignature)
        guard certificateSignature.count == Self.signatureLength, signingSignature.count == Self.signatureLength else {
            throw CircleError.malformed(
                "proof of a device's keys; earlier versions of Baton make none: update it there")
        }
    }

    /// Whether it is that of these keys, for this circle.
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
