// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import LocalNetworks

/// Decides which links over local networks are kept, and when members are dialled to get a link.
///
/// A link shows the activities of two devices to each other without Bluetooth (Session.md, "Kept
/// links").
struct LanLinks: Sendable {
    /// An action for the service.
    enum Action: Hashable, Sendable {
        /// Dial a member over the networks.
        case dial(DeviceID)
        /// Say on a link whether it is kept.
        case keep(UInt64, Bool)
        /// Say goodbye on a link.
        case drain(UInt64)
        /// Close a link whose address this device has lost.
        case close(UInt64)
        /// Remember where a member listens in a network.
        case remember(DeviceID, [KnownNetworks.Place], in: [UInt8])
    }

    /// A link whose two ends are addresses in one local network.
    private struct Link: Sendable {
        let device: DeviceID
        /// Later links have higher numbers.
        let order: Int
        let local: [UInt8]
        let remote: [UInt8]
        /// The places where the device listens, as it has said on this link.
        var places: [KnownNetworks.Place] = []
        var keeps: Bool
    }

    /// The dials of a member that is not linked.
    private struct Search: Sendable {
        var dials = 0
        var due: Duration
    }

    /// The limit on how often addresses are dialled in the search for members.
    static let limit = RateLimit(burst: 12, interval: .seconds(5))
    /// The pauses after the dials of a member that is not linked.
    ///
    /// A new network needs some time to work, and the other device is perhaps not in this network
    /// yet. After the last pause the member is not dialled again until there is a new reason, such
    /// as a new network or a new current activity.
    static let pauses: [Duration] = [.seconds(4), .seconds(16), .seconds(40), .seconds(600)]

    var networks = LanNetworks()
    private var links: [UInt64: Link] = [:]
    private var openedCount = 0
    private var searches: [DeviceID: Search] = [:]
    /// The networks in which this device may speak first, as of the last event.
    private var open: Set<LanNetworks.Joined> = []
    private var restored: Duration?
    /// The uptime from which the next member may be dialled.
    private var notBefore = Duration.zero
    /// Whether this device hides its presence, because its user paused Baton or is away, or because
    /// the device is about to sleep.
    private(set) var isMuted = false

    /// The number of links in local networks.
    var count: Int { links.count }
    /// The number of members that this device searches for.
    var searchCount: Int { searches.count }

    /// Whether a link to any device is open in a local network.
    var isLinked: Bool { !links.isEmpty }
    /// The devices to which a link is open in a local network.
    var linkedDevices: Set<DeviceID> { Set(links.values.map(\.device)) }

    /// Returns whether a link leads to an address of a device.
    func isLinked(_ device: DeviceID, at remote: [UInt8]) -> Bool {
        links.values.contains { $0.device == device && $0.remote == remote }
    }

    /// Returns the network of a link, or nil if the link is in no local network.
    func network(of link: UInt64) -> LanNetworks.Joined? {
        links[link].flatMap { networks.network(from: $0.local, to: $0.remote) }
    }

    /// Returns the next time at which ``timePassed(_:at:)`` is due, or nil if there is none.
    func deadline(at uptime: Duration) -> Duration? {
        let dial = searches.values.map(\.due).min().map { max($0, notBefore) }
        return [dial, networks.deadline(after: uptime)].compactMap(\.self).min()
    }

    // MARK: - Events

    /// Replaces the networks. Links whose local address this device has lost are closed.
    mutating func networksChanged(
        to new: [LocalNetwork], _ known: KnownNetworks, at uptime: Duration
    ) -> [Action] {
        networks.changed(to: new, key: known.key, at: uptime)
        let lost = links.filter { !networks.has($0.value.local) }.keys.sorted()
        for link in lost { links[link] = nil }
        return lost.map(Action.close) + timePassed(known, at: uptime)
    }

    /// Sets in which networks this device may speak first.
    mutating func use(_ use: LanUse, _ known: KnownNetworks, at uptime: Duration) -> [Action] {
        networks.use = use
        return timePassed(known, at: uptime)
    }

    /// Sets whether this device hides its presence (``isMuted``).
    mutating func mute(_ isMuted: Bool, _ known: KnownNetworks, at uptime: Duration) -> [Action] {
        guard isMuted != self.isMuted else { return [] }
        self.isMuted = isMuted
        guard isMuted else { return timePassed(known, at: uptime) }
        (searches, open) = ([:], [])
        let kept = links.filter(\.value.keeps).keys.sorted()
        for link in kept { links[link]?.keeps = false }
        return kept.map(Action.drain)
    }

    /// Searches for all members because an activity became current, unless a device is linked or a
    /// search is under way.
    mutating func activityBecameCurrent(_ known: KnownNetworks, at uptime: Duration) -> [Action] {
        guard !isLinked, searches.isEmpty else { return [] }
        searchAll(known, at: uptime)
        return timePassed(known, at: uptime)
    }

    /// Searches for a device that has just joined this device's circle, or taken this device into
    /// its circle.
    mutating func joined(_ device: DeviceID, _ known: KnownNetworks, at uptime: Duration) -> [Action] {
        search(device, at: uptime)
        return timePassed(known, at: uptime)
    }

    /// Returns whether a new link between two addresses is kept.
    func keeps(from local: [UInt8], to remote: [UInt8], _ known: KnownNetworks, at uptime: Duration) -> Bool {
        guard !isMuted, let network = networks.network(from: local, to: remote) else { return false }
        return networks.isOpen(network, known, at: uptime)
    }

    /// Adds a link whose two ends are in one local network. Ignores other links.
    mutating func opened(
        _ link: UInt64, to device: DeviceID, from local: [UInt8], to remote: [UInt8], _ known: KnownNetworks,
        at uptime: Duration
    ) {
        guard networks.network(from: local, to: remote) != nil else { return }
        openedCount += 1
        links[link] = Link(
            device: device, order: openedCount, local: local, remote: remote,
            keeps: keeps(from: local, to: remote, known, at: uptime))
    }

    /// Records where the device of a link says that it listens. The device's address on this link
    /// comes first.
    mutating func told(
        _ places: [KnownNetworks.Place], over link: UInt64, _ known: KnownNetworks, at uptime: Duration
    ) -> [Action] {
        guard let remote = links[link]?.remote else { return [] }
        links[link]?.places = places.filter { $0.address == remote } + places.filter { $0.address != remote }
        return timePassed(known, at: uptime)
    }

    /// Removes a link.
    ///
    /// - Parameter isLost: Whether the link ended although neither side had said goodbye. This
    ///   device then searches for the link's device.
    mutating func ended(_ link: UInt64, isLost: Bool, _ known: KnownNetworks, at uptime: Duration) -> [Action] {
        guard let ended = links.removeValue(forKey: link), isLost, !isLinked(ended.device) else { return [] }
        // Keep a search that is under way, so that a device that opens and closes links again and
        // again is not dialled more often.
        if searches[ended.device] == nil { search(ended.device, at: uptime) }
        return timePassed(known, at: uptime)
    }

    /// Forgets devices that are not members of the circle.
    mutating func keep(where isMember: (DeviceID) -> Bool) { searches = searches.filter { isMember($0.key) } }

    /// Does the work that is due. If there is a new network in which this device may speak first,
    /// searches for all members that were met in such networks.
    mutating func timePassed(_ known: KnownNetworks, at uptime: Duration) -> [Action] {
        let former = open
        open = isMuted ? [] : networks.open(known, at: uptime)
        if !open.isSubset(of: former) { searchAll(known, at: uptime) }
        let changes = links.keys.sorted().flatMap { judge($0, known, at: uptime) }
        return changes + dials(networks.places(known, at: uptime), at: uptime)
    }

    // MARK: - Decisions

    private func isLinked(_ device: DeviceID) -> Bool { links.values.contains { $0.device == device } }

    /// Returns the actions for a link: to say whether it is kept, and to remember where its device
    /// listens.
    private mutating func judge(_ id: UInt64, _ known: KnownNetworks, at uptime: Duration) -> [Action] {
        guard !isMuted, let link = links[id], let network = networks.network(from: link.local, to: link.remote)
        else { return [] }
        var actions: [Action] = []
        let keeps = networks.isOpen(network, known, at: uptime)
        if keeps != link.keeps {
            links[id]?.keeps = keeps
            actions.append(.keep(id, keeps))
        }
        // When a device moves, its new link may begin before its old one ends. Only the new link
        // shows where the device is.
        guard isNewest(link, in: network) else { return actions }
        // Accept only addresses in this network, because a hostile device may send the addresses of
        // other devices.
        let places = Array(
            link.places.filter { networks.isElsewhere($0, in: network) }.prefix(KnownNetworks.maximumPlaces))
        guard networks.use != .off, !places.isEmpty, let identity = networks.identity(of: network, known, at: uptime),
            known.places(in: identity)[link.device] != places
        else { return actions }
        return actions + [.remember(link.device, places, in: identity)]
    }

    /// Returns whether a device has no later link in a network.
    private func isNewest(_ link: Link, in network: LanNetworks.Joined) -> Bool {
        links.values.allSatisfy {
            $0.device != link.device || $0.order <= link.order
                || networks.network(from: $0.local, to: $0.remote) != network
        }
    }

    private mutating func searchAll(_ known: KnownNetworks, at uptime: Duration) {
        for device in networks.places(known, at: uptime).keys { search(device, at: uptime) }
    }

    private mutating func search(_ device: DeviceID, at uptime: Duration) {
        if !isMuted, !isLinked(device) { searches[device] = Search(due: uptime) }
    }

    private mutating func dials(_ places: [DeviceID: [KnownNetworks.Place]], at uptime: Duration) -> [Action] {
        searches = searches.filter { places[$0.key] != nil }
        var actions: [Action] = []
        for (device, search) in searches.sorted(by: { ($0.value.due, $0.key) < ($1.value.due, $1.key) })
        where search.due <= uptime {
            guard !isLinked(device), search.dials < Self.pauses.count else {
                searches[device] = nil
                continue
            }
            guard spend(places[device]?.count ?? 0, at: uptime) else { break }
            actions.append(.dial(device))
            searches[device] = Search(dials: search.dials + 1, due: uptime + Self.pauses[search.dials])
        }
        return actions
    }

    /// Counts dialled addresses. Returns false if too many were dialled recently.
    private mutating func spend(_ count: Int, at uptime: Duration) -> Bool {
        var rest = restored
        for _ in 0..<count {
            let turn = Self.limit.next(after: rest, at: uptime)
            guard turn.due <= uptime else {
                notBefore = turn.due
                return false
            }
            rest = turn.restored
        }
        restored = rest
        return true
    }
}
