// SPDX-License-Identifier: Apache-2.0

import ActivityModel
public import BatonProtocol
import BatonTransport
import Logging
import TraceModel

/// What other devices offer.
extension HandoffService {
    /// The offers there are now.
    public func offers() -> [OfferSummary] {
        lookForOffers()
        return sightings.book.offers.map(information(on:))
    }

    /// Whether an offer is of one of these types and of a team's app, which its hash tells also
    /// before its type is known here.
    ///
    /// - Returns: Nil when there is no such offer.
    public func isOffer(_ id: String, ofAnyOf types: Set<String>, team: String) -> Bool? {
        guard let offer = sightings.book.offers.first(where: { $0.id == id }) else { return nil }
        return types.contains { advertising.keys.hasher?.hash(team: team, type: $0) == offer.activity }
    }

    func radioEvent(_ event: RadioEvent) async {
        switch event {
        case .sighted(let sighting): sighted(sighting)
        case .lost(let address):
            sightings.pairing.lost(address)
            sightings.strangers.lost(address)
            sightings.clockSearch.forget(address)
            for device in circle?.roster.members.keys.map({ $0 }) ?? []
            where sightings.book.isHeard(device.short, at: address) {
                peers.directory.seen(device, at: clock.unixTime)
            }
            trace.record(.radio, "lost", [.address(address)])
            carryOut(sightings.book.lost(address: address, at: clock.uptime))
        case .status(let status):
            trace.record(.radio, "status", [.plain("condition", "\(status.condition)")])
            logger.info("radio: \(status.summary)")
            reachability.heardRadioStatus = status
            tellCondition()
            if status.condition == .ready { await openRadio() }
            await psmChanged()
        }
    }

    /// An advertisement was heard, for the first time or once more.
    func sighted(_ sighting: Sighting) {
        if let advert = PairingAdvert(payload: sighting.payload) {
            // What was heard there before is over, and not to be heard again.
            sightings.clockSearch.forget(sighting.address)
            sightings.pairing.heard(advert, at: sighting.address)
            return pairingHeard(advert, at: sighting.address)
        }
        sightings.pairing.lost(sighting.address)
        let now = moment
        guard
            let opened = advertising.keys.open(sighting.payload, at: now.unixTime)
                ?? peers.clocks.open(sighting.payload, at: now)
        else {
            if circle == nil { sightings.strangers.heard(sighting.address, signal: sighting.signal) }
            return heardUnopened(sighting)
        }
        // Who knows the secret and is no member may be one that this device has not heard of yet.
        guard let device = member(short: opened.beacon.device) else { return heardAtNoTime(sighting) }
        sightings.clockSearch.forget(sighting.address)
        trace.record(.radio, "heard", key: sighting.address, traced(sighting, from: device))
        let isElsewhere = !sightings.book.isHeard(device.short, at: sighting.address)
        carryOut(sightings.book.received(opened, address: sighting.address, signal: sighting.signal, at: now.uptime))
        if device != identity.id, sightings.book.isHeard(device.short, at: sighting.address) {
            peers.directory.seen(device, at: now.unixTime)
            peers.probes.heard(device)
        }
        guard opened.beacon.psm != 0 else { return }
        if isElsewhere { sightings.reappearances.heard(device) }
        syncIfNeeded(withShort: opened.beacon.device)
        dialToTellAcceptances(device)
    }

    /// Passes on what the book says, and dials whom it wants to hear.
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

    /// Says hello to a device: what it offers, and its table of types, come with its answer.
    private func learnOffer(of short: UInt32) {
        // One that accepts no channels by radio may listen elsewhere.
        guard let device = member(short: short), !endpoints(of: device).isEmpty else { return }
        background.begin { [logger] in
            do {
                _ = try await self.link(to: device)
            } catch {
                logger.debug("what \(device) offers was not learnt: \(error)")
            }
        }
    }

    /// The kinds of activities that apps on this device continue: offers of them are told with
    /// their types from the first beacon on.
    ///
    /// - Parameter kinds: All of them, in place of those declared before; at most
    ///   ``maximumDeclaredKinds`` count.
    public func declare(_ kinds: Set<ActivityKind>) {
        apps.declared = Set(kinds.sorted { ($0.type, $0.team) < ($1.type, $1.team) }.prefix(Self.maximumDeclaredKinds))
        learnOwnTypes()
    }

    /// How many kinds of activities apps here may continue.
    public static let maximumDeclaredKinds = 512

    /// What this device's apps publish and continue needs no asking.
    func learnOwnTypes() {
        let published = apps.registry.all.map { ActivityKind(team: $0.team, type: $0.state.activityType) }
        let table = entries(of: apps.declared.union(published))
        carryOut(sightings.book.learnt(ownTypes: table, at: clock.uptime))
    }

    /// Kinds under the hashes that they have in this circle; none without a circle.
    func entries(of kinds: some Sequence<ActivityKind>) -> [OfferBook.TypeEntry] {
        guard let hasher = advertising.keys.hasher else { return [] }
        return kinds.compactMap { kind in
            hasher.hash(of: kind).map { OfferBook.TypeEntry(activity: $0, kind: kind) }
        }
    }

    func member(short: UInt32) -> DeviceID? { circle?.roster.members.keys.first { $0.short == short } }

    /// What a device is called where people read it (``DeviceLabel``).
    func name(of device: DeviceID) -> String {
        let others = (circle?.roster.members ?? [:]).lazy.filter { $0.key != device }.map(\.value.name)
        return DeviceLabel.text(signedName(of: device), device: device.description, among: others)
    }

    /// The name that a device has signed, else the one under which it was taken in. What its hellos
    /// say it is called does not count.
    func signedName(of device: DeviceID) -> String {
        if device == identity.id { return store.state.name }
        return circle?.roster.members[device]?.name ?? device.description
    }

    private func information(on offer: Offer) -> OfferSummary {
        let device = member(short: offer.device)
        return OfferSummary(
            offer: offer.id, device: device?.description ?? "", deviceName: device.map { name(of: $0) } ?? "",
            team: offer.team, type: offer.type, title: offer.title, signal: offer.signal, hasWebpage: offer.hasWebpage,
            supportsStreams: offer.supportsStreams)
    }
}
