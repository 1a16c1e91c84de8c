// SPDX-License-Identifier: Apache-2.0

import BatonProtocol

/// Which of a device's advertisements is on the air: there is room for one. A pairing goes before a
/// hail, and a hail before what the device advertises otherwise.
struct AdvertisementSlot: Sendable {
    /// What calls a device that is silent.
    struct Hail: Equatable, Sendable {
        let device: DeviceID
        let bytes: [UInt8]
    }

    /// What is advertised but for hails and pairings; nil for nothing.
    private(set) var ordinary: [UInt8]?
    /// The hail whose turn it is.
    private(set) var hail: Hail?
    /// What others find a pairing by; nil for none.
    private(set) var pairing: [UInt8]?
    /// What the radio has taken last.
    private var aired: [UInt8]?

    /// What is to be on the air; nil for nothing.
    var payload: [UInt8]? { pairing ?? hail?.bytes ?? ordinary }

    /// What kind of advertisement that is, in a word.
    var kind: String {
        if pairing != nil { return "pairing" }
        if hail != nil { return "hail" }
        return ordinary == nil ? "nothing" : "beacon"
    }

    /// The device whose hail is on the air: the radio has taken it, and nothing else in its place.
    var hailed: DeviceID? { hail.flatMap { $0.bytes == aired ? $0.device : nil } }

    /// Another ordinary advertisement, or none.
    mutating func advertise(_ bytes: [UInt8]?) { ordinary = bytes }

    /// It is another device's turn to be hailed, or nobody's.
    ///
    /// - Returns: Whether that changes anything.
    mutating func hail(_ hail: Hail?) -> Bool {
        guard hail != self.hail else { return false }
        self.hail = hail
        return true
    }

    /// A pairing is advertised, or none any more.
    ///
    /// - Returns: Whether that changes anything.
    mutating func pair(_ bytes: [UInt8]?) -> Bool {
        defer { pairing = bytes }
        return bytes != pairing
    }

    /// The radio has taken a payload; nil when it has refused one.
    mutating func took(_ payload: [UInt8]?) { aired = payload }
}
