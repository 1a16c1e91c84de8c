// SPDX-License-Identifier: Apache-2.0

/// What is remembered of one device that was heard: its newest beacon and where it came from.
struct HeardDevice: Sendable {
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

    private struct Doubt: Sendable {
        var sequence: UInt32
        var activity: ActivityHash?
        var due: Duration
        /// Whether a beacon as low as it was heard since the higher one.
        var isSupported = false
        /// Whether ``due`` has passed: it counts as soon as it is supported.
        var isDue = false

        func isSupported(by beacon: Beacon) -> Bool {
            beacon.sequence > sequence || (beacon.sequence == sequence && beacon.offered == activity)
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
    /// When ``beacon`` or one equal to it was last heard on the air.
    private var lastConfirmed: Duration?
    /// What a hello told that is older than ``beacon``, and when it counts nevertheless.
    private var doubt: Doubt?
    /// The highest of the beacons that were ignored for their sequence since ``beacon`` was heard.
    private var ignored: Beacon?
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

    /// Takes a beacon in, unless it is older than, or contradicts, the newest one; says whether it
    /// did.
    mutating func accept(_ opened: OpenedBeacon, from address: String, signal: Int?, at uptime: Duration) -> Bool {
        let new = opened.beacon
        let isSame = isOnlyTold ? new.offered == beacon.offered : new == beacon
        guard new.sequence > beacon.sequence || (new.sequence == beacon.sequence && isSame) else {
            if new.sequence >= ignored?.sequence ?? 0 { ignored = new }
            guard let doubt, doubt.isSupported(by: new) else { return false }
            self.doubt?.isSupported = true
            guard doubt.isDue else { return false }
            believe(doubt)
            return accept(opened, from: address, signal: signal, at: uptime)
        }
        take(new)
        aired = (new, aired.map { new.isOfSameActivity(as: $0.beacon) ? $0.since : new.sequence } ?? new.sequence)
        isOnlyTold = false
        isOfferable = true
        lastHeard = uptime
        lastConfirmed = uptime
        doubt = nil
        ignored = nil
        let expiry = uptime + min(opened.validFor, OfferLimits.confirmation)
        if let index = heardAt.firstIndex(where: { $0.address == address }) {
            heardAt[index].take(signal: signal, at: uptime)
            heardAt[index].lastHeard = uptime
            heardAt[index].expiry = expiry
        } else {
            if heardAt.count >= OfferLimits.addresses,
                let oldest = heardAt.indices.dropFirst().min(by: {
                    heardAt[$0].lastHeard < heardAt[$1].lastHeard
                })
            {
                heardAt.remove(at: oldest)
            }
            let strength = signal.map { SignalStrength($0, at: uptime) }
            heardAt.append(Place(address: address, signal: strength, lastHeard: uptime, expiry: expiry))
        }
        // The place in use is kept while it is heard: a replay elsewhere does not take its place,
        // nor do two adapters alternate.
        if let first = heardAt.first, uptime - first.lastHeard >= OfferLimits.addressPatience,
            let index = heardAt.firstIndex(where: { $0.address == address })
        {
            heardAt.swapAt(0, index)
        }
        return true
    }

    /// Takes what the device has said inside TLS, be its sequence higher or lower than the one
    /// heard.
    ///
    /// A hello may have been on its way for longer than a beacon. A lower sequence counts at once
    /// only if no beacon was heard of late, else after ``OfferLimits/helloDelay``, unless a beacon
    /// confirms the higher one, and not before one as low was heard or the higher one is on the air
    /// no more: a radio that is silent while nothing changes still carries what it told.
    mutating func override(sequence: UInt32, activity: ActivityHash?, at uptime: Duration) {
        lastHeard = uptime
        var told = Doubt(
            sequence: sequence, activity: activity, due: (lastConfirmed ?? uptime) + OfferLimits.helloDelay)
        if let ignored { told.isSupported = told.isSupported(by: ignored) }
        if sequence < beacon.sequence, lastConfirmed != nil, told.due > uptime {
            doubt = told
        } else {
            believe(told)
        }
    }

    private mutating func believe(_ told: Doubt) {
        doubt = nil
        ignored = nil
        guard told.sequence != beacon.sequence || told.activity != beacon.offered else { return }
        isOnlyTold = true
        lastConfirmed = nil
        var new = beacon
        new.sequence = told.sequence
        if told.activity != beacon.offered {
            new.activity = told.activity ?? .none
            new.flags = []
            isOfferable = false
        }
        take(new)
    }

    /// Forgets an address; says whether it was known.
    mutating func lose(_ address: String) -> Bool {
        let count = heardAt.count
        heardAt.removeAll { $0.address == address }
        settleDoubt()
        return heardAt.count != count
    }

    /// The next moment at which a place expires, or a doubt.
    var nextExpiry: Duration? {
        (heardAt.map(\.expiry) + [doubt.flatMap { $0.isDue ? nil : $0.due }].compactMap(\.self)).min()
    }

    func needsExpiry(at uptime: Duration) -> Bool {
        isForgotten(at: uptime) || nextExpiry.map { $0 <= uptime } == true
    }

    func isForgotten(at uptime: Duration) -> Bool { uptime - lastHeard >= OfferLimits.sequenceMemory }

    mutating func expire(at uptime: Duration) {
        heardAt.removeAll { $0.expiry <= uptime }
        if let told = doubt, told.due <= uptime { doubt?.isDue = true }
        settleDoubt()
    }

    private mutating func settleDoubt() {
        if let doubt, doubt.isDue, doubt.isSupported || heardAt.isEmpty { believe(doubt) }
    }

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

    /// The offer that the beacon amounts to, if it does.
    func offer(kind: ActivityKind?) -> Offer? {
        guard let place = heardAt.first, isOfferable, beacon.offered != nil else { return nil }
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
