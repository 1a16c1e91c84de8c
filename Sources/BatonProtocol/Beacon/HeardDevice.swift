// SPDX-License-Identifier: Apache-2.0

/// What is remembered of one device that was heard: its newest beacon and where it came from.
///
/// Any member can make a beacon that names the device; a hello is the device's own. So while a link
/// to it is up, its hello counts, and a beacon that contradicts the hello waits for the next one,
/// or for the end of the link.
struct HeardDevice: Sendable {
    /// A beacon that was heard at an address.
    private struct Report: Sendable {
        var beacon: Beacon
        var address: String
        var signal: Int?
        var heard: Duration
        /// When the bytes stop being good.
        var expiry: Duration
    }

    private struct Place: Sendable {
        var address: String
        var signal: SignalStrength?
        var lastHeard: Duration
        /// When the bytes heard there stop being good.
        var expiry: Duration

        /// Takes the strength of a report, if it has one.
        mutating func take(signal report: Int?, at uptime: Duration) {
            guard let report else { return }
            if signal == nil { signal = SignalStrength(report, at: uptime) } else { signal?.take(report, at: uptime) }
        }
    }

    /// The newest beacon.
    private(set) var beacon: Beacon
    /// The title of the activity that ``beacon`` speaks of, as learnt inside TLS.
    var title: String?
    /// What was last heard on the air, whatever a hello has told since, and the sequence under
    /// which its activity was first heard.
    private var aired: (beacon: Beacon, since: UInt32)?
    /// When a signal was last told to watchers.
    var signalTold: Duration
    private var lastHeard: Duration
    /// What the device's last hello said; `nil` while no link to it is up.
    private var told: (sequence: UInt32, activity: ActivityHash?)?
    /// Beacons that do not count: they contradict ``told``, or are older than ``beacon``. The last
    /// of each address.
    private var waiting: [Report] = []
    /// When a beacon that agrees with ``told`` was last taken in.
    private var lastAgreed: Duration?
    /// Whether sequence and activity are known from a hello only, and the beacon that goes with
    /// them is still to be heard.
    private var isOnlyTold: Bool
    /// Whether ``beacon``'s activity has been heard, not only been told.
    private var isOfferable = true
    /// The place in use first.
    private var heardAt: [Place] = []

    init(beacon: Beacon, isOnlyTold: Bool = false, at uptime: Duration) {
        self.beacon = beacon
        self.isOnlyTold = isOnlyTold
        lastHeard = uptime
        signalTold = uptime
    }

    /// Takes a beacon in, unless it is older than, or contradicts, what is known; says whether it
    /// did.
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
        aired = (new, aired.map { new.isOfSameActivity(as: $0.beacon) ? $0.since : new.sequence } ?? new.sequence)
        // No address from before carries the activity that a hello has told.
        if !isOfferable { heardAt = [] }
        isOnlyTold = false
        isOfferable = true
        lastHeard = max(lastHeard, report.heard)
        place(report)
        return true
    }

    private func isNewest(_ new: Beacon) -> Bool {
        if let told, new.offered != told.activity { return false }
        let isSame = isOnlyTold ? new.offered == beacon.offered : new == beacon
        return new.sequence > beacon.sequence || (new.sequence == beacon.sequence && isSame)
    }

    /// Remembers where the newest beacon was heard.
    private mutating func place(_ report: Report) {
        if let index = heardAt.firstIndex(where: { $0.address == report.address }) {
            heardAt[index].take(signal: report.signal, at: report.heard)
            heardAt[index].lastHeard = report.heard
            heardAt[index].expiry = report.expiry
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
                Place(address: report.address, signal: strength, lastHeard: report.heard, expiry: report.expiry))
        }
        // The place in use is kept while it is heard: a replay elsewhere does not take its place,
        // nor do two adapters alternate.
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

    /// Takes what the device has said inside TLS, over a link that is up: it counts at once, be its
    /// sequence higher or lower than the one heard.
    ///
    /// Of two hellos over two links the one with the higher sequence is the later.
    mutating func hello(sequence: UInt32, activity: ActivityHash?, at uptime: Duration) {
        lastHeard = uptime
        if let told, sequence < told.sequence { return }
        told = (sequence, activity)
        if sequence != beacon.sequence || activity != beacon.offered { believe(sequence, activity) }
        let agreeing = waiting.filter { $0.beacon.offered == activity && $0.expiry > uptime }
        waiting.removeAll { $0.beacon.offered == activity }
        for report in agreeing { _ = accept(report) }
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

    /// Discards the newest beacon, although it may be later than the hello that contradicts it.
    private mutating func waitWhereHeard() {
        for place in heardAt where !waiting.contains(where: { $0.address == place.address }) {
            wait(
                Report(
                    beacon: beacon, address: place.address, signal: place.signal?.value, heard: place.lastHeard,
                    expiry: place.expiry))
        }
    }

    /// The last link to the device has ended: what was heard since it was last heard to agree with
    /// its hello counts as any other beacon does.
    mutating func linkEnded(at uptime: Duration) {
        guard told != nil else { return }
        let later = waiting.filter { $0.expiry > uptime && $0.heard >= lastAgreed ?? .zero }
        (told, lastAgreed, waiting) = (nil, nil, [])
        for report in later.sorted(by: { $0.beacon.sequence < $1.beacon.sequence }) { _ = accept(report) }
    }

    /// Forgets an address; says whether it was known.
    mutating func lose(_ address: String) -> Bool {
        let count = heardAt.count
        heardAt.removeAll { $0.address == address }
        waiting.removeAll { $0.address == address }
        return heardAt.count != count
    }

    /// The next moment at which a place expires.
    var nextExpiry: Duration? { heardAt.map(\.expiry).min() }

    func needsExpiry(at uptime: Duration) -> Bool {
        isForgotten(at: uptime) || nextExpiry.map { $0 <= uptime } == true
    }

    func isForgotten(at uptime: Duration) -> Bool {
        told == nil && uptime - lastHeard >= OfferLimits.sequenceMemory
    }

    mutating func expire(at uptime: Duration) { heardAt.removeAll { $0.expiry <= uptime } }

    /// Whether it is heard at an address, or at any.
    func isHeard(at address: String?) -> Bool {
        heardAt.contains { address == nil || $0.address == address }
    }

    /// The place in use, then the others, the latest heard first.
    var places: [HeardAt] {
        guard beacon.psm != 0, let first = heardAt.first else { return [] }
        let others = heardAt.dropFirst().sorted { $0.lastHeard > $1.lastHeard }
        return ([first] + others).map { HeardAt(address: $0.address, psm: beacon.psm, signal: $0.signal?.value) }
    }

    /// Whether the beacon amounts to an offer.
    var isOffering: Bool { !heardAt.isEmpty && isOfferable && beacon.offered != nil }

    /// The offer that the beacon amounts to, if it does; it is shown if the device has named its
    /// activity (``NamedActivities``).
    func offer(kind: ActivityKind?) -> Offer? {
        guard isOffering, let place = heardAt.first else { return nil }
        return Offer(
            device: beacon.device, activity: beacon.activity, team: kind?.team, type: kind?.type, title: title,
            hasWebpage: beacon.flags.contains(.hasWebpage), supportsStreams: beacon.flags.contains(.supportsStreams),
            signal: place.signal?.value, address: place.address, psm: beacon.psm, sequence: beacon.sequence,
            since: aired?.since)
    }

    private mutating func take(_ new: Beacon) {
        // Another sequence with the same hash may be another activity of the same type.
        if new.sequence != beacon.sequence || new.activity != beacon.activity { title = nil }
        beacon = new
    }
}

extension Beacon {
    /// Whether it offers what an earlier one of the device did: a sequence that nothing else of the
    /// beacon accounts for is another activity's.
    fileprivate func isOfSameActivity(as earlier: Beacon) -> Bool {
        guard sequence != earlier.sequence else { return true }
        return offered != nil && offered == earlier.offered && (flags != earlier.flags || psm != earlier.psm)
    }
}
