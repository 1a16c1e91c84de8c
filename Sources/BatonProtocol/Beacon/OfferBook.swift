// SPDX-License-Identifier: Apache-2.0

import ActivityModel

/// Makes offers of opened beacons.
///
/// Every input returns the events that follow from it. Times are uptimes (going on in suspend) and
/// must not go back. Documentation/Protocol/Beacon.md, "Receiving", states the rules and the attack
/// that each one answers.
public struct OfferBook: Sendable {
    /// What the service is to tell its watchers, or to do.
    public enum Event: Hashable, Sendable {
        /// An offer that was not there.
        case appeared(Offer)
        /// An offer with the same id has other properties.
        case changed(Offer)
        /// An offer is withdrawn.
        case disappeared(Offer.ID)
        /// Dial a device to hear whether it offers what is advertised in its name, and what the
        /// activity's hash stands for. ``OfferBook/heard(_:)`` has further addresses to try.
        case dial(device: UInt32, address: String, psm: UInt8)
    }

    /// What an activity's hash stands for.
    public struct TypeEntry: Hashable, Sendable {
        /// The hash, made here of team and type.
        let activity: ActivityHash
        let kind: ActivityKind

        /// An entry.
        ///
        /// - Parameter activity: Hashed here from `kind` (``ActivityHasher``): a member's word for
        ///   it is not taken.
        public init(activity: ActivityHash, kind: ActivityKind) { (self.activity, self.kind) = (activity, kind) }
    }

    /// The first 4 bytes of this device's id, whose own beacons are ignored.
    public let own: UInt32
    private var members: Set<UInt32> = []
    private var records: [UInt32: HeardDevice] = [:]
    private var offersByDevice: [UInt32: Offer] = [:]
    private var learning: [UInt32: DialPace] = [:]
    private var types = LearntTypes()
    private var named = NamedActivities()

    /// A book without members: nothing makes an offer until ``membersChanged(_:at:)``.
    public init(own: UInt32) { self.own = own }

    /// The offers there are, by id.
    public var offers: [Offer] { offersByDevice.values.sorted { $0.id < $1.id } }

    /// What a device's activity hash stands for, once it was learnt.
    ///
    /// A type on offer now is known for as long as it is offered, whatever was told since.
    public func kind(of activity: ActivityHash, from device: UInt32) -> ActivityKind? {
        types.kind(of: activity, toldBy: device) ?? offersByDevice[device]?.kind(of: activity)
            ?? types.kind(of: activity) ?? offersByDevice.values.lazy.compactMap { $0.kind(of: activity) }.first
    }

    /// When ``timePassed(at:)`` is due; `nil` while there is no offer to withdraw, nor a device to
    /// dial.
    public var nextDeadline: Duration? {
        let dials = learning.filter { wantsDial($0.key) }.compactMap(\.value.notBefore)
        return (offersByDevice.keys.compactMap { records[$0]?.nextExpiry } + dials).min()
    }

    /// How many activities devices have named.
    public var namedActivityCount: Int { named.count }

    /// How many devices are remembered that were heard, whether they offer anything or not.
    public var heardDeviceCount: Int { records.count }
    /// How many addresses are remembered at which they were heard.
    public var heardAddressCount: Int { records.values.reduce(0) { $0 + $1.places.count } }

    /// Where a device can be dialled, the best first; empty when it is not near or accepts no
    /// channels. Idle devices are there too.
    public func heard(_ device: UInt32) -> [HeardAt] { records[device]?.places ?? [] }

    /// Whether a device is near: at an address, or at any. It need not accept channels.
    public func isHeard(_ device: UInt32, at address: String? = nil) -> Bool {
        records[device]?.isHeard(at: address) ?? false
    }

    /// A beacon was opened.
    ///
    /// - Parameters:
    ///   - opened: The beacon.
    ///   - address: Where it came from.
    ///   - signal: In dBm, when known.
    ///   - uptime: Now.
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

    /// A radio address has not been heard for a while.
    public mutating func lost(address: String, at uptime: Duration) -> [Event] {
        var events = timePassed(at: uptime)
        for device in records.keys.sorted() where records[device]?.lose(address) == true {
            events += refresh(device, at: uptime)
        }
        return events
    }

    /// A device has said hello, inside TLS and over a link that is up until
    /// ``linkEnded(to:at:)``: what it says overrides what is remembered and heard.
    ///
    /// It makes no offer by itself, for the device may be far away, but withdraws one that is over.
    /// What the new beacon says besides is known when it is heard.
    ///
    /// - Parameters:
    ///   - device: Who has told it, as TLS has proved.
    ///   - sequence: ``BeaconAdvertiser/current``'s there.
    ///   - activity: What the device offers now (``Beacon/offered``); `nil` for nothing.
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

    /// No link to a device is up any more: beacons count again that contradict its last hello.
    public mutating func linkEnded(to device: UInt32, at uptime: Duration) -> [Event] {
        let events = timePassed(at: uptime)
        records[device]?.linkEnded(at: uptime)
        return events + refresh(device, at: uptime) + dialToLearn(device, at: uptime)
    }

    /// A device told types inside TLS, and so named their activities; its hello follows.
    ///
    /// - Parameters:
    ///   - table: The first entries are kept the longest.
    ///   - device: Which member it was, as TLS has proved.
    public mutating func learnt(types table: [TypeEntry], from device: UInt32, at uptime: Duration) -> [Event] {
        guard device != own, members.contains(device) else { return timePassed(at: uptime) }
        types.add(table, from: device)
        name(table.map(\.activity), by: device)
        return typesChanged(at: uptime)
    }

    /// The types of this device's apps, in place of those before; they take no other's room.
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

    /// A device has told, inside TLS, the title of what it offered; forgotten with its next beacon,
    /// which may offer something else.
    ///
    /// - Parameters:
    ///   - title: More than 1,024 bytes of UTF-8 count as none.
    ///   - offer: As it was when the device was asked.
    public mutating func learnt(title: String?, of offer: Offer, at uptime: Duration) -> [Event] {
        let events = timePassed(at: uptime)
        let device = offer.device
        guard let beacon = records[device]?.beacon, beacon.activity == offer.activity, beacon.sequence == offer.sequence
        else { return events }
        records[device]?.title = title.flatMap { $0.utf8.count <= ActivityState.maximumTitleLength ? $0 : nil }
        return events + refresh(device, at: uptime)
    }

    /// The circle's members changed: offers of devices that are none any more are withdrawn.
    ///
    /// - Parameter members: At most 128; of more, those with the smallest ids.
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

    /// Withdraws offers that no beacon has confirmed for too long, forgets old sequences, and dials
    /// again where a device has not named what is advertised in its name, or not its type.
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

    /// Compares the offer that a device's record amounts to with the one that was told.
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
            // In this order, so that whoever shows the old one can show the new one in its place.
            return [.appeared(new), .disappeared(old.id)]
        }
        // A signal is told with the address that carries it, never with another one.
        if old.address == new.address,
            !tellsSignal(new.signal, after: old.signal, told: record.signalTold, at: uptime)
        {
            new.signal = old.signal
        }
        guard new != old else { return [] }
        if new.signal != old.signal { records[device]?.signalTold = uptime }
        offersByDevice[device] = new
        return [.changed(new)]
    }

    /// Signals tremble; watchers are told of real changes, and not more often than once a second.
    private func tellsSignal(_ new: Int?, after old: Int?, told: Duration, at uptime: Duration) -> Bool {
        guard let new else { return false }
        guard let old else { return true }
        let (difference, overflow) = new.subtractingReportingOverflow(old)
        return (overflow || difference.magnitude >= OfferLimits.signalStep)
            && uptime - told >= OfferLimits.signalInterval
    }

    /// Whether a device has not named the activity that is advertised in its name. What is shown
    /// stays named, whatever the device names meanwhile.
    private func isUnnamed(_ record: HeardDevice) -> Bool {
        guard let activity = record.beacon.offered else { return false }
        let device = record.beacon.device
        return offersByDevice[device]?.activity != activity && !named.contains(activity, of: device)
    }

    /// A device names activities inside TLS. Which of them it offers now it says in the hello that
    /// follows: ``hello(device:sequence:activity:at:)``.
    private mutating func name(_ activities: [ActivityHash], by device: UInt32) {
        let wasUnnamed = records[device].map(isUnnamed) ?? false
        named.add(activities, of: device)
        if wasUnnamed, records[device].map(isUnnamed) == false { learning[device]?.succeeded() }
    }

    private func wantsDial(_ device: UInt32) -> Bool {
        guard let record = records[device], record.isOffering else { return false }
        return isUnnamed(record) || kind(of: record.beacon.activity, from: device) == nil
    }

    private mutating func dialToLearn(_ device: UInt32, at uptime: Duration) -> [Event] {
        guard wantsDial(device), let offer = records[device]?.offer(kind: nil) else { return [] }
        guard learning[device, default: DialPace()].dial(at: uptime) else { return [] }
        return [.dial(device: device, address: offer.address, psm: offer.psm)]
    }
}

extension Offer {
    /// What a hash stands for, if it is this offer's, and known.
    fileprivate func kind(of hash: ActivityHash) -> ActivityKind? {
        guard hash == activity, let type else { return nil }
        return ActivityKind(team: team ?? "", type: type)
    }
}
