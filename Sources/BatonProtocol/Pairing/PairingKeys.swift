// SPDX-License-Identifier: Apache-2.0

import Crypto
import FoundationEssentials
import TransportModel

/// The keys that both sides derive from the exchanged shares.
///
/// An attacker between the two sides cannot make both derive the same keys.
struct PairingKeys: Sendable {
    let transcript: [UInt8]
    /// The six decimal digits that the users compare.
    let digits: String
    let initiatorKey: SymmetricKey
    let responderKey: SymmetricKey
    let knock: [UInt8]

    /// Derives the keys; returns nil if the agreement is all zero, or the peer's key is this side's
    /// own.
    init?(own: Curve25519.KeyAgreement.PrivateKey, peer: [UInt8], messages: [UInt8], transport: TransportKind) {
        guard peer != Array(own.publicKey.rawRepresentation),
            let key = try? Curve25519.KeyAgreement.PublicKey(rawRepresentation: peer),
            let agreement = try? own.sharedSecretFromKeyAgreement(with: key)
        else { return nil }
        let shared = agreement.withUnsafeBytes { Array($0) }
        guard shared.reduce(0, |) != 0 else { return nil }
        transcript = Array(SHA256.hash(data: messages + Array(transport.rawValue.utf8)))
        let derived = hkdf(shared, salt: transcript, info: PairingFormat.magic, byteCount: 104)
        let number = derived[0..<8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) } % 1_000_000
        let text = String(number)
        digits = String(repeating: "0", count: 6 - text.count) + text
        initiatorKey = SymmetricKey(data: derived[8..<40])
        responderKey = SymmetricKey(data: derived[40..<72])
        knock = Array(derived[72..<104])
    }

    /// Seals one side's only answer. The key is used only once, so the nonce can be zero.
    static func seal(_ plaintext: [UInt8], with key: SymmetricKey, transcript: [UInt8]) -> [UInt8]? {
        guard let nonce = try? ChaChaPoly.Nonce(data: [UInt8](repeating: 0, count: 12)),
            let box = try? ChaChaPoly.seal(plaintext, using: key, nonce: nonce, authenticating: transcript)
        else { return nil }
        return Array(box.ciphertext) + Array(box.tag)
    }

    static func open(_ sealed: [UInt8], with key: SymmetricKey, transcript: [UInt8]) -> [UInt8]? {
        guard sealed.count >= 16,
            let nonce = try? ChaChaPoly.Nonce(data: [UInt8](repeating: 0, count: 12)),
            let box = try? ChaChaPoly.SealedBox(
                nonce: nonce, ciphertext: sealed.dropLast(16), tag: sealed.suffix(16)),
            let plaintext = try? ChaChaPoly.open(box, using: key, authenticating: transcript)
        else { return nil }
        return Array(plaintext)
    }
}
