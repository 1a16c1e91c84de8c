// SPDX-License-Identifier: Apache-2.0

import BatonProtocol

/// The activities that other devices send over kept links, and how this device shows and sends
/// them.
struct LinkOffers: Sendable {
    /// Whether the screen is locked. While it is locked, no offer from a link is shown.
    var isLocked = false
    /// Whether this device sends titles without being asked.
    var tellsTitles = true
    private var told: [UInt64: (device: DeviceID, offer: LinkOffer)] = [:]

    /// The number of links that carry an offer.
    var count: Int { told.count }

    /// All links with an offer, and the offer to show; nil while the screen is locked.
    var shown: [(link: UInt64, device: DeviceID, offer: LinkOffer?)] {
        told.sorted { $0.key < $1.key }.map { ($0.key, $0.value.device, isLocked ? nil : $0.value.offer) }
    }

    /// Returns the links that carry offers of a device, or of all devices if `device` is nil.
    func links(of device: DeviceID?) -> Set<UInt64> {
        Set(told.filter { device == nil || $0.value.device == device }.keys)
    }

    /// Records the offer that a link carries; nil if the link no longer carries an offer.
    ///
    /// - Returns: The offer to show; nil while the screen is locked.
    mutating func told(_ offer: LinkOffer?, by device: DeviceID, over link: UInt64) -> LinkOffer? {
        told[link] = offer.map { (device, $0) }
        return isLocked ? nil : offer
    }
}
