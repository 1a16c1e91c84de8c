// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport

/// The advertisements that this device hears by radio, and the offers of other devices.
struct Sightings: Sendable {
    /// The meaning of a received advertisement.
    enum Heard: Equatable {
        /// A device pairs.
        case pairing(PairingAdvert)
        /// A member's beacon.
        case beacon(OpenedBeacon, of: DeviceID)
        /// A member's hail to this device.
        case hail(Beacon, by: DeviceID)
        /// An advertisement that may open later, with another key or at another time.
        case unopened
    }

    /// The circle's beacons, and the offers in them.
    var book: OfferBook
    /// The activities that other devices send over kept links.
    var linkOffers = LinkOffers()
    private(set) var hailListener = HailListener()
    /// The search for beacons of members whose clocks differ much from this device's clock.
    var clockSearch = ClockSearch()
    /// The devices that pair nearby.
    private(set) var pairing = PairingSightings()
    private(set) var strangers = UnknownAdvertisers()

    init(own: UInt32) { book = OfferBook(own: own) }

    /// The number of entries in each table, by name.
    var counts: [String: Int] {
        [
            "offers": book.offers.count, "namedActivities": book.namedActivityCount,
            "heardDevices": book.heardDeviceCount, "heardAddresses": book.heardAddressCount,
            "linkOffers": linkOffers.count, "hailsTried": hailListener.remembered,
            "unopenedAdvertisements": clockSearch.unopened.count, "pairingSightings": pairing.all.count,
            "strangers": strangers.count,
        ]
    }

    /// Records an advertisement that was heard, for the first time or again.
    ///
    /// - Parameter opened: The beacon in it; nil if the circle's secret does not open it.
    mutating func heard(
        _ sighting: Sighting, _ opened: OpenedBeacon?, _ state: DeviceState, at now: BeaconAdvertiser.Moment
    ) -> Heard {
        let (payload, address) = (sighting.payload, sighting.address)
        if let advert = PairingAdvert(payload: payload) {
            // The earlier advertisement at this address is over, and must not be handled again.
            clockSearch.forget(address)
            pairing.heard(advert, at: address)
            return .pairing(advert)
        }
        pairing.lost(address)
        if let opened {
            // A sender that knows the secret may be a member that this device does not know yet.
            if let device = state.member(short: opened.beacon.device) {
                clockSearch.forget(address)
                return .beacon(opened, of: device)
            }
        } else {
            if state.circle == nil { strangers.heard(address, signal: sighting.signal) }
            if let (device, beacon) = hailListener.received(payload, at: now.unixTime, uptime: now.uptime) {
                clockSearch.forget(address)
                return .hail(beacon, by: device)
            }
        }
        clockSearch.heard(payload, at: address)
        return .unopened
    }

    /// Forgets the advertisement at an address, except for its offer.
    mutating func lost(_ address: String) {
        pairing.lost(address)
        strangers.lost(address)
        clockSearch.forget(address)
    }

    /// Updates the keys with which hails, and beacons of other times, are opened.
    mutating func keysChanged(_ secret: CircleSecret?, pairwise: [DeviceID: PairwiseKey]) {
        hailListener.keysChanged(pairwise)
        clockSearch.keysChanged(secret, pairwise: pairwise)
    }

    /// Forgets unknown advertisers, because this device is in a circle.
    mutating func forgetStrangers() { strangers = UnknownAdvertisers() }

    /// Ignores a pairing's advertisement, because this device has spoken to its sender.
    mutating func spokenTo(_ advert: PairingAdvert) { pairing.spokenTo(advert) }

    /// Returns a sealed hail to a member, or nil if the member is unknown.
    mutating func sealHail(_ beacon: Beacon, to device: DeviceID, at unixTime: Int64) -> [UInt8]? {
        hailListener.seal(beacon, to: device, at: unixTime)
    }

    /// Searches the unopened advertisements for members whose clocks are wrong.
    mutating func searchClocks(_ state: DeviceState, at now: BeaconAdvertiser.Moment) -> ClockSearch.Hit? {
        clockSearch.step(at: now.unixTime, uptime: now.uptime, notBefore: state.notBefore)
    }

    /// Begins a search again that has ended.
    mutating func searchClocksAgain() { clockSearch.beginAgain() }
}
