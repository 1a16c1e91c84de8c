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
