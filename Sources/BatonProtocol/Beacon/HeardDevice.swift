// SPDX-License-Identifier: Apache-2.0

/// The newest beacon of a device, and the addresses at which it was heard.
///
/// Any member can forge a beacon of another device, but a hello comes from the device itself. So
/// while there is a link to the device, its hello takes precedence. A beacon that contradicts the
/// hello is kept until the next hello, or until the link ends. A link over which the device sends
/// its offer counts as one more address.
struct HeardDevice: Sendable {
    /// A beacon that was heard at an address.
    private struct Report: Sendable {
        var beacon: Beacon
        var address: String
        var signal: Int?
        var heard: Duration
        /// The time at which the bytes become invalid.
        var expiry: Duration
    }

    private struct Place: Sendable {
        var address: String
        var signal: SignalStrength?
        var lastHeard: Duration
        /// The time at which the bytes that were heard there become invalid.
        var expiry: Duration
        /// The sequence number of the last beacon that was heard there.
        var sequence: UInt32

        /// Adds the signal strength of a report, if it has one.
        mutating func take(signal report: Int?, at uptime: Duration) {
            guard let report else { return }
            if signal == nil { signal = SignalStrength(report, at: uptime) } else { signal?.take(report, at: uptime) }
        }
    }

    private(set) var beacon: Beacon
    /// The title of the activity in ``beacon``, learnt inside TLS.
    var title: String?
    /// The last beacon that was heard and accepted, or whose offer came over a link, and the first
    /// sequence number of its activity.
    private var aired: (beacon: Beacon, since: UInt32)?
    /// The time at which watchers last learnt a signal strength.
    var signalTold: Duration
    private var lastHeard: Duration
    /// The contents of the device's last hello; `nil` without a link to it.
    private var told: (sequence: UInt32, activity: ActivityHash?)?
    /// The beacons that do not count now, but may count later: the latest one from each address.
    ///
    /// These beacons contradict ``told`` or ``beacon``, or are older than ``beacon``.
    private var waiting: [Report] = []
    /// The time of the last accepted beacon that agreed with ``told``.
    private var lastAgreed: Duration?
    /// Whether ``beacon`` has the sequence number and the activity of a hello, and was not heard
    /// yet.
    private var isOnlyTold: Bool
    /// Whether ``beacon``'s activity was heard by radio, and not only named in a hello.
    private var isOfferable = true
    /// The addresses at which the device is heard. The first address is in use.
    private var heardAt: [Place] = []
    /// The offers that the device sends over links, by link.
    private var linked: [UInt64: LinkOffer] = [:]

    init(beacon: Beacon, isOnlyTold: Bool = false, at uptime: Duration) {
        self.beacon = beacon
        self.isOnlyTold = isOnlyTold
        lastHeard = uptime
        signalTold = uptime
    }

    /// Accepts a beacon unless it is older than the known one or contradicts the hello.
    ///
    /// - Returns: Whether the beacon was accepted.
    mutating func accept(_ opened: OpenedBeacon, from address: String, signal: Int?, at uptime: Duration) -> Bool {
        accept(
            Report(
                beacon: opened.beacon, address: address, signal: signal, heard: uptime,
                expiry: uptime + min(opened.validFor, OfferLimits.confirmation)))
    }

    private mutating func accept(_ report: Report) -> Bool {
        let new = report.beacon
        waiting.removeAll { $0.address == report.address }
        guard isNewest(new) else {
            wait(report)
            return false
        }
        if told != nil { lastAgreed = report.heard }
        take(new)
        note(new)
        // None of the known addresses has broadcast the activity that the hello named.
        if !isOfferable { heardAt = [] }
        isOnlyTold = false
        isOfferable = true
        lastHeard = max(lastHeard, report.heard)
        place(report)
        return true
    }

    /// Updates ``aired`` after a beacon or an offer over a link was accepted.
    private mutating func note(_ new: Beacon) {
        aired = (new, aired.map { new.isOfSameActivity(as: $0.beacon) ? $0.since : new.sequence } ?? new.sequence)
    }

    private func isNewest(_ new: Beacon) -> Bool {
        if let told, new.offered != told.activity { return false }
        let isSame = isOnlyTold ? new.offered == beacon.offered : new == beacon
        return new.sequence > beacon.sequence || (new.sequence == beacon.sequence && isSame)
    }

    /// Records where the newest beacon was heard.
    private mutating func place(_ report: Report) {
        if let index = heardAt.firstIndex(where: { $0.address == report.address }) {
            heardAt[index].take(signal: report.signal, at: report.heard)
            heardAt[index].lastHeard = report.heard
            heardAt[index].expiry = report.expiry
            heardAt[index].sequence = report.beacon.sequence
        } else {
            if heardAt.count >= OfferLimits.addresses,
                let oldest = heardAt.indices.dropFirst().min(by: {
                    heardAt[$0].lastHeard < heardAt[$1].lastHeard
                })
            {
                heardAt.remove(at: oldest)
            }
            let strength = report.signal.map { SignalStrength($0, at: report.heard) }
            heardAt.append(
                Place(
                    address: report.address, signal: strength, lastHeard: report.heard, expiry: report.expiry,
                    sequence: report.beacon.sequence))
        }
        // Keep the address in use while it is heard. Otherwise a replay from another address could
        // replace it, and the two adapters of one device would alternate.
        if let first = heardAt.first, report.heard - first.lastHeard >= OfferLimits.addressPatience,
            let index = heardAt.firstIndex(where: { $0.address == report.address })
        {
            heardAt.swapAt(0, index)
        }
    }

    private mutating func wait(_ report: Report) {
        if waiting.count >= OfferLimits.addresses { waiting.removeFirst() }
        waiting.append(report)
    }

    /// Applies a hello that the device sent inside TLS, over a link that is up.
    ///
    /// The hello takes effect at once, whether its sequence number is higher or lower than the
    /// number in the beacon. Of hellos over several links, the one with the highest sequence number
    /// takes effect.
    mutating func hello(sequence: UInt32, activity: ActivityHash?, at uptime: Duration) {
        lastHeard = uptime
        if let told, sequence < told.sequence { return }
        told = (sequence, activity)
        if sequence != beacon.sequence || activity != beacon.offered { believe(sequence, activity) }
        let agreeing = waiting.filter { $0.beacon.offered == activity && $0.expiry > uptime }
        waiting.removeAll { $0.beacon.offered == activity }
        for report in agreeing { _ = accept(report) }
    }

    /// Applies the offer that the device sends over a link; nil removes the offer.
    ///
    /// The offer takes effect like a hello, and the link becomes an address of the offer.
    mutating func offered(_ offer: LinkOffer?, over link: UInt64, at uptime: Duration) {
        guard let offer, let activity = offer.activity.flatMap({ ActivityHash(bytes: $0) }) else {
            linked[link] = nil
            return
        }
        guard linked[link] != nil || linked.count < OfferLimits.addresses else { return }
        linked[link] = offer
        hello(sequence: offer.sequence, activity: activity, at: uptime)
        guard beacon.sequence == offer.sequence, beacon.offered == activity else { return }
        beacon.flags = offer.flags
        title = offer.title ?? title
        note(beacon)
    }

    /// Whether the device sends the present offer over a link.
    ///
    /// After a hello with the same activity and another sequence number, the link still counts
    /// until the device sends its next offer.
    var isLinked: Bool {
        linked.values.contains {
            $0.activity == beacon.offered?.bytes && ($0.sequence == beacon.sequence || isOnlyTold)
        }
    }

    private mutating func believe(_ sequence: UInt32, _ activity: ActivityHash?) {
        var new = beacon
        new.sequence = sequence
        if activity != beacon.offered {
            if !isOnlyTold { waitWhereHeard() }
            new.activity = activity ?? .none
            new.flags = []
            isOfferable = false
        }
        isOnlyTold = true
        take(new)
    }

    /// Adds the newest beacon to the waiting ones, because it may be newer than the hello that
    /// contradicts it.
    private mutating func waitWhereHeard() {
        for place in heardAt where !waiting.contains(where: { $0.address == place.address }) {
            wait(
                Report(
                    beacon: beacon, address: place.address, signal: signal(at: place), heard: place.lastHeard,
                    expiry: place.expiry))
        }
    }

    /// Records that the last link to the device has ended.
    ///
    /// Accepts the waiting beacons that arrived after the last beacon that agreed with the hello.
    mutating func linkEnded(at uptime: Duration) {
        guard told != nil else { return }
        let later = waiting.filter { $0.expiry > uptime && $0.heard >= lastAgreed ?? .zero }
        (told, lastAgreed, waiting) = (nil, nil, [])
        for report in later.sorted(by: { $0.beacon.sequence < $1.beacon.sequence }) { _ = accept(report) }
    }

    /// Forgets an address, and returns whether it was known.
    mutating func lose(_ address: String) -> Bool {
        let count = heardAt.count
        heardAt.removeAll { $0.address == address }
        waiting.removeAll { $0.address == address }
        return heardAt.count != count
    }

    /// The uptime at which the next place expires; nil without places.
    var nextExpiry: Duration? { heardAt.map(\.expiry).min() }

    func needsExpiry(at uptime: Duration) -> Bool {
        isForgotten(at: uptime) || nextExpiry.map { $0 <= uptime } == true
    }

    func isForgotten(at uptime: Duration) -> Bool {
        told == nil && uptime - lastHeard >= OfferLimits.sequenceMemory
    }

    mutating func expire(at uptime: Duration) { heardAt.removeAll { $0.expiry <= uptime } }

    /// Returns whether the device is heard at an address, or at any address if it is nil.
    func isHeard(at address: String?) -> Bool {
        heardAt.contains { address == nil || $0.address == address }
    }

    /// The addresses at which the device is heard: first the address in use, then the others, most
    /// recently heard first.
    ///
    /// The list is empty if the device is not heard or accepts no channels.
    var places: [HeardAt] {
        guard beacon.psm != 0, let first = heardAt.first else { return [] }
        let others = heardAt.dropFirst().sorted { $0.lastHeard > $1.lastHeard }
        return ([first] + others).map { HeardAt(address: $0.address, psm: beacon.psm, signal: signal(at: $0)) }
    }

    /// Returns the signal strength at a place, or nil if the newest beacon was not heard there.
    private func signal(at place: Place) -> Int? {
        isOfferable && place.sequence == beacon.sequence ? place.signal?.value : nil
    }

    /// Whether the beacon makes an offer.
    var isOffering: Bool { beacon.offered != nil && (isLinked || isOfferable && !heardAt.isEmpty) }

    /// Returns the offer that the beacon makes, or nil.
    ///
    /// The offer is shown only if the device has named its activity (``NamedActivities``).
    func offer(kind: ActivityKind?) -> Offer? {
        guard isOffering else { return nil }
        let place = isOfferable ? heardAt.first : nil
        return Offer(
            device: beacon.device, activity: beacon.activity, team: kind?.team, type: kind?.type, title: title,
            hasWebpage: beacon.flags.contains(.hasWebpage), supportsStreams: beacon.flags.contains(.supportsStreams),
            signal: place.flatMap(signal(at:)), address: place?.address, psm: beacon.psm, sequence: beacon.sequence,
            since: aired?.since)
    }

    private mutating func take(_ new: Beacon) {
        // A new sequence number with the same hash may be another activity of the same type.
        if new.sequence != beacon.sequence || new.activity != beacon.activity { title = nil }
        beacon = new
    }
}

extension Beacon {
    /// Returns whether this beacon offers the same activity as an earlier one of the device.
    ///
    /// If the sequence number changed and no other field did, the activity is a different one.
    fileprivate func isOfSameActivity(as earlier: Beacon) -> Bool {
        guard sequence != earlier.sequence else { return true }
        return offered != nil && offered == earlier.offered && (flags != earlier.flags || psm != earlier.psm)
    }
}
