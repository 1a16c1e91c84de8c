// SPDX-License-Identifier: Apache-2.0

import BatonProtocol

/// The activities that other devices send over kept links, and how this device shows and sends
/// them.
struct LinkOffers: Sendable {
    typealias Shown = (link: UInt64, device: DeviceID, offer: LinkOffer?)

    /// Whether the screen is locked. While it is locked, no offer from a link is shown.
    private var isLocked = false
    /// Whether this device sends titles without being asked.
    private var tellsTitles = true
    private var told: [UInt64: (device: DeviceID, offer: LinkOffer)] = [:]

    /// The number of links that carry an offer.
    var count: Int { told.count }

    /// Sets whether titles are sent, and whether offers are shown.
    ///
    /// - Returns: The links with an offer that are shown in another way now.
    mutating func use(tellsTitles: Bool, isLocked: Bool) -> [Shown] {
        self.tellsTitles = tellsTitles
        guard isLocked != self.isLocked else { return [] }
        self.isLocked = isLocked
        return told.sorted { $0.key < $1.key }.map { ($0.key, $0.value.device, isLocked ? nil : $0.value.offer) }
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

    /// Returns the activity that this device sends over links.
    ///
    /// - Parameters:
    ///   - beacon: The beacon that this device advertises, or nil without a circle.
    ///   - title: The title of the advertised activity.
    func own(_ beacon: Beacon?, title: String?) -> LinkOffer {
        let offered = isLocked ? nil : beacon?.offered
        let title = tellsTitles ? title : nil
        let isTold = offered != nil && title.map { (1...LinkOffer.maximumTitleLength).contains($0.utf8.count) } == true
        return LinkOffer(
            sequence: beacon?.sequence ?? 0, activity: offered?.bytes, flags: offered == nil ? [] : beacon?.flags ?? [],
            title: isTold ? title : nil)
    }
}
