// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import LocalNetworks

/// Decides when this device sends its beacon into local networks, and which devices it dials
/// because of their beacons (Documentation/Protocol/Datagram.md).
///
/// No device answers a beacon with a datagram. A device that opens one dials the sender by TCP.
struct LanBeacons: Sendable {
    /// An action for the service.
    enum Action: Hashable, Sendable {
        /// Send this device's beacon into the network of an interface, and hails to members.
        case send(UInt32, Hails)
        /// Dial a device at the source of its beacon.
        case dial(DeviceID, KnownNetworks.Place, UInt32)
    }

    /// The members to which hails are sent together with a beacon.
    enum Hails: Hashable, Sendable {
        /// The members that perhaps lack the circle's latest state.
        case due
        /// The members that perhaps lack the circle's latest state, and a member that did not
        /// answer a dial.
        case also(DeviceID)
        /// All members that are not linked. Perhaps one of these members has another secret, and
        /// does not know that.
        case all
    }

    /// The beacons of one occasion in one network.
    private struct Round: Sendable {
        var sent = 0
        var due: Duration
        /// Whether the first beacon counts towards ``limit``.
        var isLimited = false
    }

    /// The dials of a device because of its beacons.
    fileprivate struct Dials: Sendable {
        /// The addresses of the last ten minutes.
        var sources: [[UInt8]: Duration] = [:]
        var last: Duration?
        var restored: Duration?
        /// The last dial because of a beacon that opened at another time.
        var old: Duration?
    }

    /// A member that was linked in a network.
    private struct Meeting: Sendable {
        let network: [[UInt8]]
        var last: Duration
    }

    /// The pauses after the beacons of a round. A round ends early when no member is missing.
    static let pauses: [Duration] = [.seconds(1), .seconds(3)]
    /// The shortest time between two dials of a device at the same address because of its beacons.
    static let dialInterval = Duration.seconds(600)
    /// The limit on dials of a device at different addresses. Another host in the network may
    /// repeat the device's beacons from other addresses.
    static let dialLimit = RateLimit(burst: 3, interval: .seconds(200))
    /// The time after such a dial in which the device is not dialled again. If it is not linked by
    /// then, this device sends its own beacon.
    static let patience = Duration.seconds(3)
    /// The shortest time between two rounds because a program asks for the list of offers.
    static let lookInterval = Duration.seconds(60)
    /// The shortest time between two rounds because an activity became current.
    static let activityInterval = Duration.seconds(300)
    /// How long a member counts as met in a network.
    static let meetingLifetime = Duration.seconds(86_400)
    /// The limit on rounds because networks or addresses come.
    ///
    /// A router can give this device new addresses again and again.
    static let limit = RateLimit(burst: 8, interval: .seconds(60))

    /// The other members that are not linked in a local network.
    private var missing: Set<DeviceID> = []
    /// The networks in which this device may send, by interface.
    private var open: [UInt32: LanNetworks.Joined] = [:]
    private var rounds: [UInt32: Round] = [:]
    private var restored: Duration?
    private var looked: Duration?
    private var activity: Duration?
    private var dialled: [DeviceID: Dials] = [:]
    /// The dialled devices, and when and where this device sends its own beacon if the dial leads
    /// to no link.
    private var unanswered: [DeviceID: (due: Duration, interface: UInt32)] = [:]
    private var meetings: [DeviceID: Meeting] = [:]

    /// The number of devices that were dialled because of their beacons.
    var dialledCount: Int { dialled.count }

    /// The next time at which ``timePassed(at:)`` is due, or nil if it is not.
    var deadline: Duration? { (rounds.values.map(\.due) + unanswered.values.map(\.due)).min() }

    // MARK: - Events

    /// Replaces the networks in which this device may send. Sends a beacon into each network that
    /// is new, or in which this device has a new address.
    mutating func networksChanged(to joined: some Sequence<LanNetworks.Joined>, at uptime: Duration) -> [Action] {
        let former = open
        open = Dictionary(joined.filter(\.takesDatagrams).map { ($0.network.interface, $0) }) { first, _ in first }
        rounds = rounds.filter { open[$0.key] != nil }
        unanswered = unanswered.filter { open[$0.value.interface] != nil }
        for (interface, network) in open where network.isNews(after: former[interface]) {
            begin(in: interface, at: uptime, isLimited: true)
        }
        return timePassed(at: uptime)
    }

    /// Replaces the members that are not linked in a local network. If none is missing, this device
    /// sends nothing.
    mutating func missingChanged(to missing: Set<DeviceID>, at uptime: Duration) {
        for device in missing.subtracting(self.missing) {
            // A member counts as met until its link ends. It had proved itself, so its earlier
            // beacons were not a replay.
            meetings[device]?.last = uptime
            dialled[device] = nil
        }
        self.missing = missing
        if missing.isEmpty { rounds = [:] }
        unanswered = unanswered.filter { missing.contains($0.key) }
    }

    /// Sends a beacon into all networks because a program asks for the list of offers.
    mutating func looked(at uptime: Duration) -> [Action] {
        guard !open.isEmpty, !missing.isEmpty, Self.take(&looked, Self.lookInterval, at: uptime) else { return [] }
        for interface in open.keys { begin(in: interface, at: uptime) }
        return timePassed(at: uptime)
    }

    /// Sends a beacon because an activity became current. The beacon goes only into networks in
    /// which this device recently met a member that is not linked now.
    mutating func activityBecameCurrent(at uptime: Duration) -> [Action] {
        let interfaces = open.filter { wasMet(in: $0.value, at: uptime) }.keys
        guard !interfaces.isEmpty, Self.take(&activity, Self.activityInterval, at: uptime) else { return [] }
        for interface in interfaces { begin(in: interface, at: uptime) }
        return timePassed(at: uptime)
    }

    /// Handles the beacon or the hail of another device. Dials the device unless it was dialled
    /// recently.
    ///
    /// - Parameters:
    ///   - isLinked: Whether a link leads to that address of the device.
    ///   - isOld: Whether the beacon opened only at another time. It may be a copy from yesterday,
    ///     so it delays no dial because of a present one.
    mutating func heard(
        _ device: DeviceID, at place: KnownNetworks.Place, in interface: UInt32, isLinked: Bool, isOld: Bool = false,
        at uptime: Duration
    ) -> [Action] {
        guard place.port != 0 else { return [] }
        var dials = dialled[device] ?? Dials()
        guard isOld ? dials.takeOld(at: uptime) : dials.take(place.address, at: uptime) else { return [] }
        dialled[device] = dials
        if isLinked { return [] }
        if open[interface] != nil { unanswered[device] = (uptime + Self.patience, interface) }
        return [.dial(device, place, interface)]
    }

    /// Records that a device is linked in a network.
    mutating func linked(_ device: DeviceID, in joined: LanNetworks.Joined, at uptime: Duration) {
        meetings[device] = Meeting(network: joined.datagramIdentities, last: uptime)
    }

    /// Forgets devices that are not members of the circle.
    mutating func keep(where isMember: (DeviceID) -> Bool) {
        dialled = dialled.filter { isMember($0.key) }
        unanswered = unanswered.filter { isMember($0.key) }
        meetings = meetings.filter { isMember($0.key) }
    }

    /// Sends the beacons that are due.
    mutating func timePassed(at uptime: Duration) -> [Action] {
        var actions: [Action] = []
        for (interface, round) in rounds.sorted(by: { $0.key < $1.key }) where round.due <= uptime {
            if round.isLimited, round.sent == 0 {
                let turn = Self.limit.next(after: restored, at: uptime)
                guard turn.due <= uptime else {
                    rounds[interface]?.due = turn.due
                    continue
                }
                restored = turn.restored
            }
            let isLast = round.sent == Self.pauses.count
            actions.append(.send(interface, isLast ? .all : .due))
            rounds[interface] = isLast ? nil : Round(sent: round.sent + 1, due: uptime + Self.pauses[round.sent])
        }
        for (device, answer) in unanswered.sorted(by: { $0.key < $1.key }) where answer.due <= uptime {
            actions.append(.send(answer.interface, .also(device)))
            unanswered[device] = nil
        }
        return actions
    }

    // MARK: - Decisions

    /// Begins a round in a network, unless one is under way or all members are linked. A round that
    /// does not count towards ``limit`` replaces a round that waits for the limit.
    private mutating func begin(in interface: UInt32, at uptime: Duration, isLimited: Bool = false) {
        guard !missing.isEmpty else { return }
        if let round = rounds[interface], isLimited || !round.isLimited || round.sent > 0 { return }
        rounds[interface] = Round(due: uptime, isLimited: isLimited)
    }

    private func wasMet(in joined: LanNetworks.Joined, at uptime: Duration) -> Bool {
        meetings.contains { device, meeting in
            missing.contains(device) && uptime - meeting.last < Self.meetingLifetime
                && !Set(meeting.network).isDisjoint(with: joined.datagramIdentities)
        }
    }

    private static func take(_ last: inout Duration?, _ interval: Duration, at uptime: Duration) -> Bool {
        if let last, uptime - last < interval { return false }
        last = uptime
        return true
    }
}

extension LanBeacons.Dials {
    /// Returns whether the device may be dialled at an address now, and records it in that case.
    fileprivate mutating func take(_ source: [UInt8], at uptime: Duration) -> Bool {
        sources = sources.filter { uptime - $0.value < LanBeacons.dialInterval }
        // A device sends its beacon from several addresses. Dialling one of them is enough.
        if let last, uptime - last < LanBeacons.patience { return false }
        let turn = LanBeacons.dialLimit.next(after: restored, at: uptime)
        guard sources[source] == nil, turn.due <= uptime else { return false }
        sources[source] = uptime
        (last, restored) = (uptime, turn.restored)
        return true
    }

    /// Returns whether the device may be dialled because of a beacon that opened at another time.
    fileprivate mutating func takeOld(at uptime: Duration) -> Bool {
        if let old, uptime - old < LanBeacons.dialInterval { return false }
        old = uptime
        return true
    }
}

extension LanNetworks.Joined {
    /// Whether beacons are sent and received in the network.
    var takesDatagrams: Bool { network.hasBroadcast && !datagramIdentities.isEmpty }

    /// Returns whether the network is another one than before on its interface, or this device has
    /// a new address in it.
    fileprivate func isNews(after former: Self?) -> Bool {
        guard let former else { return true }
        return Set(datagramIdentities).isDisjoint(with: former.datagramIdentities)
            || !Set(network.addresses).isSubset(of: former.network.addresses)
    }
}
