// SPDX-License-Identifier: Apache-2.0

import ActivityModel

/// Turns opened beacons into offers.
///
/// Every mutating function returns the resulting events. Times are uptimes, which include suspend
/// and must not go back. Documentation/Protocol/Beacon.md, "Receiving", gives the rules and the
/// attack that each rule prevents.
public struct OfferBook: Sendable {
    /// An event for the service's watchers, or work for the service.
    public enum Event: Hashable, Sendable {
        /// A new offer.
        case appeared(Offer)
        /// An offer with the same id has changed.
        case changed(Offer)
        /// An offer was withdrawn.
        case disappeared(Offer.ID)
        /// Dial a device to verify its advertised activity, and to learn the activity's type.
        ///
        /// ``OfferBook/heard(_:)`` returns further addresses to try.
        case dial(device: UInt32, address: String, psm: UInt8)
    }

    /// The meaning of an activity's hash.
    public struct TypeEntry: Hashable, Sendable {
        /// The hash, calculated here from team and type.
        let activity: ActivityHash
        let kind: ActivityKind

        /// Creates an entry.
        ///
        /// - Parameter activity: The hash, calculated here from `kind` (``ActivityHasher``). A
        ///   member's own claim is not trusted.
        public init(activity: ActivityHash, kind: ActivityKind) { (self.activity, self.kind) = (activity, kind) }
    }

    /// The first 4 bytes of this device's id. Beacons with this id are ignored.
    public let own: UInt32
    private var members: Set<UInt32> = []
    private var records: [UInt32: HeardDevice] = [:]
    private var offersByDevice: [UInt32: Offer] = [:]
    private var learning: [UInt32: DialPace] = [:]
    private var types = LearntTypes()
    private var named = NamedActivities()

    /// Creates a book without members, which makes no offers until ``membersChanged(_:at:)``.
    public init(own: UInt32) { self.own = own }

    /// The present offers, sorted by id.
    public var offers: [Offer] { offersByDevice.values.sorted { $0.id < $1.id } }

    /// Returns the kind of activity that a device's hash stands for; nil if it is unknown.
    ///
    /// The type of a present offer stays known as long as the offer exists, even if newer types
    /// have displaced it.
    public func kind(of activity: ActivityHash, from device: UInt32) -> ActivityKind? {
        types.kind(of: activity, toldBy: device) ?? offersByDevice[device]?.kind(of: activity)
            ?? types.kind(of: activity) ?? offersByDevice.values.lazy.compactMap { $0.kind(of: activity) }.first
    }

    /// The time at which ``timePassed(at:)`` is due; `nil` while there is nothing to do.
    public var nextDeadline: Duration? {
        let dials = learning.filter { wantsDial($0.key) }.compactMap(\.value.notBefore)
        return (offersByDevice.keys.compactMap { records[$0]?.nextExpiry } + dials).min()
    }

    /// The number of activities that devices have named.
    public var namedActivityCount: Int { named.count }

    /// The number of remembered devices, with or without an offer.
    public var heardDeviceCount: Int { records.count }
    /// The number of addresses at which the remembered devices were heard and accept channels.
    public var heardAddressCount: Int { records.values.reduce(0) { $0 + $1.places.count } }

    /// Returns the addresses at which to dial a device, the best first.
    ///
    /// Idle devices have addresses too. The result is empty if the device is not near or accepts no
    /// channels.
    public func heard(_ device: UInt32) -> [HeardAt] { records[device]?.places ?? [] }

    /// Returns whether a device is heard at an address, or at any address if it is nil. The device
    /// need not accept channels.
    public func isHeard(_ device: UInt32, at address: String? = nil) -> Bool {
        records[device]?.isHeard(at: address) ?? false
    }

    /// Processes an opened beacon.
    ///
    /// - Parameters:
    ///   - opened: The beacon.
    ///   - address: The sender's radio address.
    ///   - signal: The signal strength in dBm; nil if it is unknown.
    ///   - uptime: The present time.
    public mutating func received(
        _ opened: OpenedBeacon, address: String, signal: Int?, at uptime: Duration
    ) -> [Event] {
        let events = timePassed(at: uptime)
        let beacon = opened.beacon
        guard beacon.device != own, members.contains(beacon.device) else { return events }
        var record = records[beacon.device] ?? HeardDevice(beacon: beacon, at: uptime)
        let isAccepted = record.accept(opened, from: address, signal: signal, at: uptime)
        records[beacon.device] = record
        guard isAccepted else { return events }
        return events + refresh(beacon.device, at: uptime) + dialToLearn(beacon.device, at: uptime)
    }

    /// Forgets a radio address that has not been heard for a while.
    public mutating func lost(address: String, at uptime: Duration) -> [Event] {
        var events = timePassed(at: uptime)
        for device in records.keys.sorted() where records[device]?.lose(address) == true {
            events += refresh(device, at: uptime)
        }
        return events
    }

    /// Processes a device's hello, received inside TLS over a link that is up.
    ///
    /// The hello overrides the beacons that were or are heard, until ``linkEnded(to:at:)``. A hello
    /// withdraws an offer that has ended. A hello makes no new offer. The device may be far away,
    /// and only its beacon shows the other fields of the offer.
    ///
    /// - Parameters:
    ///   - device: The sender, proved by TLS.
    ///   - sequence: The sequence number of the sender's ``BeaconAdvertiser/current``.
    ///   - activity: The activity that the sender offers now (``Beacon/offered``); `nil` for none.
    public mutating func hello(
        device: UInt32, sequence: UInt32, activity: ActivityHash?, at uptime: Duration
    ) -> [Event] {
        let events = timePassed(at: uptime)
        guard device != own, members.contains(device) else { return events }
        var record =
            records[device]
            ?? HeardDevice(
                beacon: Beacon(device: device, activity: .none, flags: [], sequence: sequence, psm: 0),
                isOnlyTold: true, at: uptime)
        if let activity { name([activity], by: device) }
        record.hello(sequence: sequence, activity: activity, at: uptime)
        records[device] = record
        return events + refresh(device, at: uptime) + dialToLearn(device, at: uptime)
    }

    /// Processes the offer that a device sends over a link that both sides keep.
    ///
    /// - Parameters:
    ///   - offer: The offer; `nil` if the link carries none any more.
    ///   - device: The sender, proved by TLS.
    ///   - link: The number of the link. When the link ends, report a `nil` offer for it.
    public mutating func offered(
        _ offer: LinkOffer?, by device: UInt32, over link: UInt64, at uptime: Duration
    ) -> [Event] {
        let events = timePassed(at: uptime)
        guard device != own, members.contains(device) else { return events }
        if let activity = offer?.activity.flatMap({ ActivityHash(bytes: $0) }) { name([activity], by: device) }
        // A hello precedes every offer, so the device is known.
        records[device]?.offered(offer, over: link, at: uptime)
        return events + refresh(device, at: uptime) + dialToLearn(device, at: uptime)
    }

    /// Records that the last link to a device has ended.
    ///
    /// Beacons that contradict the device's last hello count again.
    public mutating func linkEnded(to device: UInt32, at uptime: Duration) -> [Event] {
        let events = timePassed(at: uptime)
        records[device]?.linkEnded(at: uptime)
        return events + refresh(device, at: uptime) + dialToLearn(device, at: uptime)
    }

    /// Adds the types that a device named inside TLS. The device's hello follows.
    ///
    /// - Parameters:
    ///   - table: The types. The first entries are kept the longest.
    ///   - device: The member, proved by TLS.
    public mutating func learnt(types table: [TypeEntry], from device: UInt32, at uptime: Duration) -> [Event] {
        guard device != own, members.contains(device) else { return timePassed(at: uptime) }
        types.add(table, from: device)
        name(table.map(\.activity), by: device)
        return typesChanged(at: uptime)
    }

    /// Replaces the types of this device's apps, which do not count toward ``OfferLimits/types``.
    public mutating func learnt(ownTypes table: [TypeEntry], at uptime: Duration) -> [Event] {
        types.replaceOwn(table, of: own)
        return typesChanged(at: uptime)
    }

    private mutating func typesChanged(at uptime: Duration) -> [Event] {
        for offer in offersByDevice.values
        where offer.type == nil && kind(of: offer.activity, from: offer.device) != nil {
            learning[offer.device]?.succeeded()
        }
        let events = timePassed(at: uptime)
        return offersByDevice.keys.sorted().reduce(events) { $0 + refresh($1, at: uptime) }
    }

    /// Sets the title of an offer, which its device named inside TLS.
    ///
    /// A beacon with another sequence number removes the title, because it may offer another
    /// activity.
    ///
    /// - Parameters:
    ///   - title: The title. One with more than 1,024 bytes of UTF-8 counts as nil.
    ///   - offer: The offer as it was when the device was asked.
    public mutating func learnt(title: String?, of offer: Offer, at uptime: Duration) -> [Event] {
        let events = timePassed(at: uptime)
        let device = offer.device
        guard let beacon = records[device]?.beacon, beacon.activity == offer.activity, beacon.sequence == offer.sequence
        else { return events }
        records[device]?.title = title.flatMap { $0.utf8.count <= ActivityState.maximumTitleLength ? $0 : nil }
        return events + refresh(device, at: uptime)
    }

    /// Sets the circle's members, and withdraws the offers of devices that are no longer members.
    ///
    /// - Parameter members: The members. If there are more than 128, those with the smallest ids
    ///   are used.
    public mutating func membersChanged(_ members: Set<UInt32>, at uptime: Duration) -> [Event] {
        var events = timePassed(at: uptime)
        self.members = Set(members.sorted().prefix(OfferLimits.devices))
        for device in records.keys.sorted() where !self.members.contains(device) {
            records[device] = nil
            events += refresh(device, at: uptime)
        }
        learning = learning.filter { self.members.contains($0.key) }
        types.keep(self.members)
        named.keep(where: self.members.contains)
        return events
    }

    /// Does the work that is due.
    ///
    /// Withdraws offers without recent beacons, and forgets old sequence numbers. Asks for another
    /// dial to each device that has not named the activity in its beacon, or not named that
    /// activity's type.
    public mutating func timePassed(at uptime: Duration) -> [Event] {
        var events: [Event] = []
        for device in records.filter({ $0.value.needsExpiry(at: uptime) }).keys.sorted() {
            records[device]?.expire(at: uptime)
            if records[device]?.isForgotten(at: uptime) == true { records[device] = nil }
            events += refresh(device, at: uptime)
        }
        for device in learning.keys.sorted() { events += dialToLearn(device, at: uptime) }
        return events
    }

    /// Returns the events that lead from a device's last reported offer to its present offer.
    private mutating func refresh(_ device: UInt32, at uptime: Duration) -> [Event] {
        let old = offersByDevice[device]
        guard let record = records[device], !isUnnamed(record),
            var new = record.offer(kind: kind(of: record.beacon.activity, from: device))
        else {
            offersByDevice[device] = nil
            return old.map { [.disappeared($0.id)] } ?? []
        }
        guard let old else {
            offersByDevice[device] = new
            records[device]?.signalTold = uptime
            return [.appeared(new)]
        }
        guard old.id == new.id else {
            offersByDevice[device] = new
            records[device]?.signalTold = uptime
            // The new offer comes first, so that a user interface can put it in the place of the
            // old one.
            return [.appeared(new), .disappeared(old.id)]
        }
        // Ignore a small change of the signal only while the address and the beacon stay the same.
        if old.address == new.address, old.sequence == new.sequence,
            !tellsSignal(new.signal, after: old.signal, told: record.signalTold, at: uptime)
        {
            new.signal = old.signal
        }
        guard new != old else { return [] }
        if new.signal != old.signal { records[device]?.signalTold = uptime }
        offersByDevice[device] = new
        return [.changed(new)]
    }

    /// Returns whether to report a signal strength. Small changes, and changes less than a second
    /// after the last report, are ignored.
    private func tellsSignal(_ new: Int?, after old: Int?, told: Duration, at uptime: Duration) -> Bool {
        guard let new else { return false }
        guard let old else { return true }
        let (difference, overflow) = new.subtractingReportingOverflow(old)
        return (overflow || difference.magnitude >= OfferLimits.signalStep)
            && uptime - told >= OfferLimits.signalInterval
    }

    /// Returns whether a device has not confirmed inside TLS that it offers the activity in its
    /// beacon.
    ///
    /// An activity that is on offer stays confirmed, whatever the device names later.
    private func isUnnamed(_ record: HeardDevice) -> Bool {
        guard let activity = record.beacon.offered else { return false }
        let device = record.beacon.device
        return offersByDevice[device]?.activity != activity && !named.contains(activity, of: device)
    }

    /// Adds the activities that a device named inside TLS.
    ///
    /// The next hello says which of them the device offers now
    /// (``hello(device:sequence:activity:at:)``).
    private mutating func name(_ activities: [ActivityHash], by device: UInt32) {
        let wasUnnamed = records[device].map(isUnnamed) ?? false
        named.add(activities, of: device)
        if wasUnnamed, records[device].map(isUnnamed) == false { learning[device]?.succeeded() }
    }

    private func wantsDial(_ device: UInt32) -> Bool {
        // Over its link, the device sends everything that a dial would ask for.
        guard let record = records[device], record.isOffering, !record.isLinked else { return false }
        return isUnnamed(record) || kind(of: record.beacon.activity, from: device) == nil
    }

    private mutating func dialToLearn(_ device: UInt32, at uptime: Duration) -> [Event] {
        guard wantsDial(device), let offer = records[device]?.offer(kind: nil) else { return [] }
        guard let address = offer.address, learning[device, default: DialPace()].dial(at: uptime) else { return [] }
        return [.dial(device: device, address: address, psm: offer.psm)]
    }
}

extension Offer {
    /// Returns the kind of activity if the hash is this offer's and its type is known.
    fileprivate func kind(of hash: ActivityHash) -> ActivityKind? {
        guard hash == activity, let type else { return nil }
        return ActivityKind(team: team ?? "", type: type)
    }
}
