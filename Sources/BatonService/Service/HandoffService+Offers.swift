// SPDX-License-Identifier: Apache-2.0

import ActivityModel
public import BatonProtocol
import BatonTransport
import Logging
import TraceModel

/// Offers of other devices.
extension HandoffService {
    /// Returns the present offers.
    public func offers() -> [OfferSummary] { sightings.book.offers.map(information(on:)) }

    /// Looks for offers because a person asks for them. Returns when the devices whose offers came
    /// over a link have confirmed them, or have not answered.
    public func look() async {
        lookForOffers()
        carryOut(lan.looked(at: moment))
        await confirmLinkOffers()
    }

    /// Returns whether an offer belongs to a team's app and has one of these types. The offer's
    /// hash shows this even before this device knows the type.
    ///
    /// - Returns: Nil when there is no such offer.
    public func isOffer(_ id: String, ofAnyOf types: Set<String>, team: String) -> Bool? {
        guard let offer = sightings.book.offers.first(where: { $0.id == id }) else { return nil }
        return types.contains { advertising.keys.hasher?.hash(team: team, type: $0) == offer.activity }
    }

    /// Returns the facts about an offer's activity that are known before it is fetched.
    ///
    /// An activity that came to this device through a third device is recognized only when it is
    /// fetched. If a rule fetched the activity, this device then declines it.
    ///
    /// - Returns: Nil when there is no such offer.
    public func activity(of offer: String) -> OfferedActivity? {
        sightings.book.offers.first { $0.id == offer }.map { offer in
            OfferedActivity(
                isFromHere: apps.isFromHere(offer), number: offer.since,
                account: member(short: offer.device).map { account(of: $0).description } ?? "")
        }
    }

    func radioEvent(_ event: RadioEvent) async {
        switch event {
        case .sighted(let sighting): sighted(sighting)
        case .lost(let address):
            sightings.lost(address)
            for device in circle?.roster.members.keys.map({ $0 }) ?? []
            where sightings.book.isHeard(device.short, at: address) {
                peers[device].lastSeen = clock.unixTime
            }
            trace.record(.radio, "lost", [.address(address)])
            carryOut(sightings.book.lost(address: address, at: clock.uptime))
        case .status(let status):
            trace.record(.radio, "status", [.plain("condition", "\(status.condition)")])
            logger.info("radio: \(status.summary)")
            reachability.heardRadioStatus = status
            tellCondition()
            if status.condition == .ready { await openRadio() }
            await radioDoorChanged()
        }
    }

    /// Handles an advertisement that was heard, for the first time or again.
    func sighted(_ sighting: Sighting) {
        let now = moment
        // Opening changes `peers`, and `listeningChanged()` then reads `sightings`. So the
        // advertisement is opened before the call that changes `sightings`.
        let isPairing = PairingAdvert(payload: sighting.payload) != nil
        let opened = isPairing ? nil : open(sighting.payload, at: now)
        switch sightings.heard(sighting, opened, store.state, at: now) {
        case .pairing(let advert): pairingHeard(advert, at: sighting.address)
        case .beacon(let opened, let device): heard(opened, of: device, sighting, at: now)
        case .hail(let beacon, let device): hailed(by: device, beacon, at: sighting.address)
        case .unopened: searchClocks()
        }
    }

    /// Handles a member's beacon. Its validity counts from the time at which it was opened.
    private func heard(
        _ opened: OpenedBeacon, of device: DeviceID, _ sighting: Sighting, at now: BeaconAdvertiser.Moment
    ) {
        trace.record(.radio, "heard", key: sighting.address, traced(sighting, from: device))
        let isElsewhere = !sightings.book.isHeard(device.short, at: sighting.address)
        carryOut(sightings.book.received(opened, address: sighting.address, signal: sighting.signal, at: now.uptime))
        if device != identity.id, sightings.book.isHeard(device.short, at: sighting.address) {
            peers[device].lastSeen = now.unixTime
            peers.probes.heard(device)
        }
        guard opened.beacon.psm != 0 else { return }
        if isElsewhere { peers[device].reappeared() }
        syncIfNeeded(withShort: opened.beacon.device)
        dialToTellAcceptances(device)
    }

    /// Carries out the book's events: sends news of offers, and makes the dials that the book asks
    /// for.
    func carryOut(_ events: [OfferBook.Event]) {
        for event in events {
            switch event {
            case .appeared(let offer), .changed(let offer):
                apps.lineage.offered(offer, at: clock.uptime)
                trace.record(.handover, "offer", key: offer.id, traced(offer))
                news.tell(information(on: offer))
            case .disappeared(let id):
                trace.record(.handover, "offer over", [.offer(id)])
                apps.lineage.ended(id)
                news.disappeared(id)
            case .dial(let device, _, _): learnOffer(of: device)
            }
        }
        schedule(.offers, at: sightings.book.nextDeadline)
    }

    /// Dials a device to get its offer and its table of types, which come with its hello.
    private func learnOffer(of short: UInt32) {
        // A device that accepts no channels by radio may listen on a network.
        guard let device = member(short: short), !endpoints(of: device).isEmpty else { return }
        beginLink(to: device, onFailure: "what \(device) offers was not learnt")
    }

    /// Declares the kinds of activities that apps on this device continue. Offers of these kinds
    /// show their types from the first beacon on.
    ///
    /// - Parameter kinds: All kinds, which replace those declared before. At most
    ///   ``AppActivities/maximumDeclaredKinds`` count.
    public func declare(_ kinds: Set<ActivityKind>) {
        apps.declare(kinds)
        learnOwnTypes()
    }

    /// Adds the types that this device's apps publish and continue, so that no other device has to
    /// be asked for them.
    func learnOwnTypes() {
        carryOut(sightings.book.learnt(ownTypes: entries(of: apps.kinds), at: clock.uptime))
    }

    /// Returns kinds with their hashes in this circle, or nothing without a circle.
    func entries(of kinds: some Sequence<ActivityKind>) -> [OfferBook.TypeEntry] {
        guard let hasher = advertising.keys.hasher else { return [] }
        return kinds.compactMap { kind in
            hasher.hash(of: kind).map { OfferBook.TypeEntry(activity: $0, kind: kind) }
        }
    }

    // MARK: - Links

    func link(_ link: PeerLink, offers offer: LinkOffer?) {
        // A link that drains or has ended carries no offer, even if its last offer comes only now.
        let offer = link.acceptsRequests ? offer : nil
        let shown = sightings.linkOffers.told(offer, by: link.device, over: link.number)
        show(shown, of: link.device, over: link.number)
    }

    func show(_ offer: LinkOffer?, of device: DeviceID, over link: UInt64) {
        carryOut(sightings.book.offered(offer, by: device.short, over: link, at: clock.uptime))
    }

    /// Sends this device's current activity over the links that are kept.
    func tellOffers() {
        for link in peers.links.all { link.tell(toldOffer) }
    }

    /// The activity that this device sends over links.
    var toldOffer: LinkOffer {
        sightings.linkOffers.own(advertising.advertiser?.current, title: advertisedEntry?.state.title)
    }

    /// Returns once it is known whether the offers from links are still valid.
    ///
    /// - Parameter device: The device whose offers are checked; nil for all devices.
    func confirmLinkOffers(of device: DeviceID? = nil) async {
        let links = sightings.linkOffers.links(of: device)
        guard !links.isEmpty else { return }
        await peers.links.open.filter { links.contains($0.number) }.concurrentMap { await $0.confirmOffer() }
    }

    private func information(on offer: Offer) -> OfferSummary {
        let device = member(short: offer.device)
        return OfferSummary(
            offer: offer.id, device: device?.description ?? "", deviceName: device.map { name(of: $0) } ?? "",
            team: offer.team, type: offer.type, title: offer.title, signal: offer.signal, hasWebpage: offer.hasWebpage,
            supportsStreams: offer.supportsStreams)
    }
}
