// SPDX-License-Identifier: Apache-2.0

import Crypto
import FoundationEssentials

/// The bytes of pairing. Documentation/Protocol/Pairing.md is normative.
enum PairingFormat {
    /// What either side's first message begins with: the initiator's where a knock would begin with
    /// random bytes, and the responder's so that the users are not asked to compare digits with
    /// what is no Baton.
    static let magic = Array("baton pair 2".utf8)
    static let commitByteCount = magic.count + 32
    static let replyByteCount = magic.count + shareByteCount
    /// The responder's last byte: it expects the knock.
    static let ready: UInt8 = 1
    static let shareByteCount = 64
    /// The longest sealed answer, without its length.
    static let maximumAnswer = 1_024

    /// SHA-256 over what the initiator shows only after the responder has shown its own.
    static func commitment(to share: PairingShare) -> [UInt8] {
        Array(SHA256.hash(data: Array("baton commit".utf8) + share.bytes))
    }
}

/// A side's random bytes and ephemeral key, 32 bytes each, as they travel.
struct PairingShare: Hashable, Sendable {
    let random: [UInt8]
    let key: [UInt8]

    var bytes: [UInt8] { random + key }

    init(random: [UInt8], key: [UInt8]) {
        self.random = random
        self.key = key
    }

    /// From its 64 bytes; nil for any other length.
    init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == PairingFormat.shareByteCount else { return nil }
        random = Array(bytes.prefix(32))
        key = Array(bytes.dropFirst(32))
    }
}

/// What both sides know once the shares have been exchanged, and nobody between them can make the
/// same on both sides.
struct PairingKeys: Sendable {
    let transcript: [UInt8]
    /// Six decimal digits.
    let digits: String
    let initiatorKey: SymmetricKey
    let responderKey: SymmetricKey
    let knock: [UInt8]

    /// - Returns: nil when the agreement is all zero, or the peer's key is this side's own.
    init?(
        own: Curve25519.KeyAgreement.PrivateKey, peer: [UInt8], messages: [UInt8], transport: TransportKind
    ) {
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

    /// Seals one side's only answer: the key is used once, so the nonce is zero.
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
