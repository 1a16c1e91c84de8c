// SPDX-License-Identifier: Apache-2.0

import Crypto
import FoundationEssentials

/// The format of the pairing messages. Documentation/Protocol/Pairing.md is normative.
enum PairingFormat {
    /// The beginning of each side's first message.
    ///
    /// The initiator's magic distinguishes a pairing from a knock, which begins with random bytes.
    /// The responder's magic ensures that users do not compare digits with a program that is not
    /// Baton.
    static let magic = Array("baton pair 2".utf8)
    static let commitByteCount = magic.count + 32
    static let replyByteCount = magic.count + shareByteCount
    /// The responder's last byte, which says that the responder now expects the knock.
    static let ready: UInt8 = 1
    static let shareByteCount = 64
    /// The maximum length of a sealed answer, without its length field.
    static let maximumAnswer = 1_024

    /// Returns the commitment to the initiator's share, which the initiator reveals only after the
    /// responder's share.
    static func commitment(to share: PairingShare) -> [UInt8] {
        Array(SHA256.hash(data: Array("baton commit".utf8) + share.bytes))
    }
}
