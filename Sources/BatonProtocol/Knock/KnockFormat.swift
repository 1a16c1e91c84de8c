// SPDX-License-Identifier: Apache-2.0

import Crypto
import FoundationEssentials

/// The 16 random bytes from one side of a knock, which are used only once.
public struct KnockNonce: Hashable, Sendable {
    /// The length of a nonce, in bytes.
    public static let byteCount = 16

    let bytes: [UInt8]

    /// Creates a nonce with the system's random generator.
    public init() { bytes = SymmetricKey(size: .bits128).withUnsafeBytes { Array($0) } }

    /// Creates a known nonce, for vectors and tests; returns `nil` unless it has 16 bytes.
    public init?(bytes: some Sequence<UInt8>) {
        let bytes = Array(bytes)
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }
}

/// The format of a knock, for both sides (Documentation/Protocol/Channel.md).
enum KnockFormat {
    /// The length of a knock's MAC and of an answer, in bytes.
    static let tagByteCount = 16
    /// The number of bytes before the ClientHello: nonce, MAC and length.
    static let headByteCount = KnockNonce.byteCount + tagByteCount + 2
    /// The maximum length of a ClientHello with its record header, in bytes.
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

    /// Returns whether bytes are one TLS record with exactly one ClientHello.
    ///
    /// Source: RFC 8446, sections 4 and 5.1.
    static func isClientHello(_ bytes: [UInt8]) -> Bool {
        guard (9...maximumClientHello).contains(bytes.count) else { return false }
        let record = Int(bytes[3]) << 8 | Int(bytes[4])
        let message = Int(bytes[6]) << 16 | Int(bytes[7]) << 8 | Int(bytes[8])
        return bytes[0] == 22 && bytes[1] == 3 && bytes[5] == 1 && record == bytes.count - 5
            && message == bytes.count - 9
    }
}

/// The reason why a knock failed, which is written to the log, but never sent to the peer.
public struct KnockFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reason's stable name.
    public let description: String
    private init(_ description: String) { self.description = description }

    /// The first bytes from TLS are not one record with one ClientHello of at most 4,096 bytes.
    public static let malformedClientHello = KnockFailure("malformed ClientHello")
    /// The responder sent more than its nonce before it received the knock.
    public static let unexpectedBytes = KnockFailure("unexpected bytes")
    /// The responder's answer was not made with the expected key.
    public static let wrongAnswer = KnockFailure("wrong answer")
    /// The knock was made with none of the known keys.
    public static let unknownKnock = KnockFailure("unknown knock")
}
