// SPDX-License-Identifier: Apache-2.0

import BatonProtocol

/// The pairing advertisements that were heard. A radio may report each advertisement only once.
/// Advertisements of devices that this device has already spoken to are ignored.
struct PairingSightings: Sendable {
    /// The limit on remembered addresses, and on ignored advertisements.
    static let maximum = 16

    /// The advertisement at each address.
    private(set) var all: [String: PairingAdvert] = [:]
    /// The nonces of ignored advertisements, the latest first.
    private var met: [[UInt8]] = []

    /// Returns whether an advertisement counts, which means that it is not ignored.
    func counts(_ advert: PairingAdvert) -> Bool { !met.contains(advert.nonce) }

    /// The number of pairing devices that are heard and that this device has not spoken to.
    var others: Int { Set(all.values.map(\.nonce)).count }

    /// Records an advertisement that was heard at an address.
    mutating func heard(_ advert: PairingAdvert, at address: String) {
        guard counts(advert), all[address] != nil || all.count < Self.maximum else { return }
        all[address] = advert
    }

    /// Forgets the advertisement at an address.
    mutating func lost(_ address: String) { all[address] = nil }

    /// Ignores an advertisement from now on, because this device has spoken to its sender. The
    /// first message ends the advertisement (Pairing.md), but a radio may report that end half a
    /// minute later. With private addresses, the sender's next advertisement has another address.
    mutating func spokenTo(_ advert: PairingAdvert) {
        all = all.filter { $0.value.nonce != advert.nonce }
        met = [advert.nonce] + met.prefix(Self.maximum - 1)
    }
}
