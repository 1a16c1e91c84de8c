// SPDX-License-Identifier: Apache-2.0

import BatonProtocol

/// The choice of the one advertisement that a device has on the air.
///
/// A pairing's advertisement takes precedence over a hail, and a hail over the ordinary
/// advertisement.
struct AdvertisementSlot: Sendable {
    /// An advertisement that asks a silent device to dial this device.
    struct Hail: Equatable, Sendable {
        let device: DeviceID
        let bytes: [UInt8]
    }

    /// The ordinary advertisement, or nil.
    private(set) var ordinary: [UInt8]?
    /// The hail whose turn it is, or nil.
    private(set) var hail: Hail?
    /// The advertisement by which others find a pairing, or nil.
    private(set) var pairing: [UInt8]?
    /// The payload that the radio accepted last, or nil.
    private var aired: [UInt8]?

    /// The payload that should be on the air, or nil for none.
    var payload: [UInt8]? { pairing ?? hail?.bytes ?? ordinary }

    /// One word for the kind of ``payload``.
    var kind: String {
        if pairing != nil { return "pairing" }
        if hail != nil { return "hail" }
        return ordinary == nil ? "nothing" : "beacon"
    }

    /// The device whose hail the radio accepted last, or nil if another payload is on the air.
    var hailed: DeviceID? { hail.flatMap { $0.bytes == aired ? $0.device : nil } }

    /// Replaces the ordinary advertisement, or removes it.
    mutating func advertise(_ bytes: [UInt8]?) { ordinary = bytes }

    /// Replaces the hail, or removes it.
    ///
    /// - Returns: Whether the hail has changed.
    mutating func hail(_ hail: Hail?) -> Bool {
        guard hail != self.hail else { return false }
        self.hail = hail
        return true
    }

    /// Replaces the pairing's advertisement, or removes it.
    ///
    /// - Returns: Whether the advertisement has changed.
    mutating func pair(_ bytes: [UInt8]?) -> Bool {
        defer { pairing = bytes }
        return bytes != pairing
    }

    /// Records the payload that the radio accepted, or nil if it refused one.
    mutating func took(_ payload: [UInt8]?) { aired = payload }
}
