// SPDX-License-Identifier: Apache-2.0

import BatonProtocol

/// The pairing advertisements that were heard, for a radio may tell of each once only; and those
/// that count no more, as this device has spoken to who sent them.
struct PairingSightings: Sendable {
    /// How many addresses, and how many advertisements that count no more, are remembered.
    static let maximum = 16

    /// What is on the air at each address.
    private(set) var all: [String: PairingAdvert] = [:]
    /// The nonces of those that count no more, the last first.
    private var met: [[UInt8]] = []

    /// Whether an advertisement counts.
    func counts(_ advert: PairingAdvert) -> Bool { !met.contains(advert.nonce) }

    /// An advertisement was heard.
    mutating func heard(_ advert: PairingAdvert, at address: String) {
        guard counts(advert), all[address] != nil || all.count < Self.maximum else { return }
        all[address] = advert
    }

    /// What was heard at an address is over.
    mutating func lost(_ address: String) { all[address] = nil }

    /// Who advertises so was spoken to: that is over with the first message (Pairing.md), but a
    /// radio may say so half a minute later, and with private addresses the device's next
    /// advertisement is heard at another address.
    mutating func spokenTo(_ advert: PairingAdvert) {
        all = all.filter { $0.value.nonce != advert.nonce }
        met = [advert.nonce] + met.prefix(Self.maximum - 1)
    }
}
