// SPDX-License-Identifier: Apache-2.0

/// The advertisement of a device that is pairing.
///
/// The advertisement contains the PSM to dial, but does not identify the device.
public struct PairingAdvert: Hashable, Sendable {
    /// The version byte. A beacon begins with 1 instead.
    static let version: UInt8 = 2
    /// The length of an advertisement, in bytes.
    public static let byteCount = 10

    /// 8 random bytes. The device with the lower nonce dials the other one.
    public let nonce: [UInt8]
    /// The LE PSM that accepts channels.
    public let psm: UInt8

    /// Creates an advertisement; returns `nil` unless the nonce has 8 bytes.
    public init?(nonce: [UInt8], psm: UInt8) {
        guard nonce.count == 8 else { return nil }
        self.nonce = nonce
        self.psm = psm
    }

    /// Reads a received payload; returns `nil` if it is not the advertisement of a pairing device.
    public init?(payload: [UInt8]) {
        guard payload.count == Self.byteCount, payload[0] == Self.version else { return nil }
        nonce = Array(payload[1..<9])
        psm = payload[9]
    }

    /// The value of the manufacturer data.
    public var payload: [UInt8] { [Self.version] + nonce + [psm] }

    /// Returns whether this device dials the other one.
    public func dials(_ other: PairingAdvert) -> Bool { nonce.lexicographicallyPrecedes(other.nonce) }
}
