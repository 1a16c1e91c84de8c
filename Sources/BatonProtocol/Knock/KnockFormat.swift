// SPDX-License-Identifier: Apache-2.0

import Crypto
import FoundationEssentials

/// A fresh 16-byte number of one side of a knock. Never used twice.
public struct KnockNonce: Hashable, Sendable {
    /// Bytes in a nonce.
    public static let byteCount = 16

    let bytes: [UInt8]

    /// A nonce from the system's generator.
    public init() {
        bytes = SymmetricKey(size: .bits128).withUnsafeBytes { Array($0) }
    }

    /// A known nonce, for vectors and tests; `nil` unless there are exactly 16 bytes.
    public init?(bytes: some Sequence<UInt8>) {
        let bytes = Array(bytes)
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }
}

/// What both sides of a knock compute (Documentation/Protocol/Channel.md).
enum KnockFormat {
    /// Bytes in a knock's MAC and in an answer.
    static let tagByteCount = 16
    /// Bytes before the ClientHello: nonce, MAC and length.
    static let headByteCount = KnockNonce.byteCount + tagByteCount + 2
    /// The longest ClientHello, with its record header.
    static let maximumClientHello = 4_096

    static func knockTag(
        key: PairwiseKey, transport: TransportKind, responder: KnockNonce, initiator: KnockNonce, clientHello: [UInt8]
    ) -> [UInt8] {
        key.tag(
            Array("knock".utf8), Array(transport.rawValue.utf8), responder.bytes, initiator.bytes,
            Array(SHA256.hash(data: clientHello)))
    }

    static func answerTag(
        key: PairwiseKey, responder: KnockNonce, initiator: KnockNonce, knockTag: [UInt8]
    ) -> [UInt8] {
        key.tag(Array("answer".utf8), responder.bytes, initiator.bytes, knockTag)
    }

    /// Whether bytes are one TLS record that holds one whole ClientHello and nothing else (RFC
    /// 8446, sections 4 and 5.1).
    static func isClientHello(_ bytes: [UInt8]) -> Bool {
        guard (9...maximumClientHello).contains(bytes.count) else { return false }
        let record = Int(bytes[3]) << 8 | Int(bytes[4])
        let message = Int(bytes[6]) << 16 | Int(bytes[7]) << 8 | Int(bytes[8])
        return bytes[0] == 22 && bytes[1] == 3 && bytes[5] == 1 && record == bytes.count - 5
            && message == bytes.count - 9
    }
}

/// Why a side of a knock gives up; for the log, never for the peer.
public struct KnockFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reason's stable name.
    public let description: String
    private init(_ description: String) { self.description = description }

    /// What TLS wants to send first is not one record with one ClientHello of at most 4,096 bytes.
    public static let malformedClientHello = KnockFailure("malformed ClientHello")
    /// The responder sent more than its nonce before the knock was sent.
    public static let unexpectedBytes = KnockFailure("unexpected bytes")
    /// The answer was made by somebody who does not have the key.
    public static let wrongAnswer = KnockFailure("wrong answer")
    /// No key fits the knock.
    public static let unknownKnock = KnockFailure("unknown knock")
}
