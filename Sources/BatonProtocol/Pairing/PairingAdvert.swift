// SPDX-License-Identifier: Apache-2.0

/// What a device advertises while its user pairs: that somebody pairs here, and the door; nothing
/// of who it is.
public struct PairingAdvert: Hashable, Sendable {
    /// The version byte, where a beacon has 1.
    static let version: UInt8 = 2
    /// Bytes in an advert.
    public static let byteCount = 10

    /// 8 random bytes: of two devices the one with the lower nonce dials.
    public let nonce: [UInt8]
    /// The LE PSM that accepts channels.
    public let psm: UInt8

    /// An advert; `nil` unless the nonce has 8 bytes.
    public init?(nonce: [UInt8], psm: UInt8) {
        guard nonce.count == 8 else { return nil }
        self.nonce = nonce
        self.psm = psm
    }

    /// An advert as received; `nil` for anything else.
    public init?(payload: [UInt8]) {
        guard payload.count == Self.byteCount, payload[0] == Self.version else { return nil }
        nonce = Array(payload[1..<9])
        psm = payload[9]
    }

    /// The value of the manufacturer data.
    public var payload: [UInt8] { [Self.version] + nonce + [psm] }

    /// Whether this device dials the other.
    public func dials(_ other: PairingAdvert) -> Bool { nonce.lexicographicallyPrecedes(other.nonce) }
}
