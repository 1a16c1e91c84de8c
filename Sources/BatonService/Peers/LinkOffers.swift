// SPDX-License-Identifier: Apache-2.0

import BatonProtocol

/// The activities that other devices tell over kept links, and what this device tells there.
struct LinkOffers: Sendable {
    /// Whether the screen is locked. Then nothing that links tell is shown.
    var isLocked = false
    /// Whether this device tells titles unasked.
    var tellsTitles = true
    private var told: [UInt64: (device: DeviceID, offer: LinkOffer)] = [:]

    /// The number of links that carry an offer.
    var count: Int { told.count }

    /// All links with an offer, and the offer as far as it is shown.
    var shown: [(link: UInt64, device: DeviceID, offer: LinkOffer?)] {
        told.sorted { $0.key < $1.key }.map { ($0.key, $0.value.device, isLocked ? nil : $0.value.offer) }
    }

    /// Returns the links that carry offers of a device, or of any device.
    func links(of device: DeviceID?) -> Set<UInt64> {
        Set(told.filter { device == nil || $0.value.device == device }.keys)
    }

    /// Records what a link tells, or with nil that it carries no offer any more.
    ///
    /// - Returns: The offer as far as it is shown.
    mutating func told(_ offer: LinkOffer?, by device: DeviceID, over link: UInt64) -> LinkOffer? {
        told[link] = offer.map { (device, $0) }
        return isLocked ? nil : offer
    }
}
