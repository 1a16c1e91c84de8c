// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport
import Diagnosis
import HostAddresses
import LocalDatagrams
import LocalNetworks
import Logging
import TraceModel

/// This device in its local networks: the links that are kept there, and the beacons by which
/// members find each other without Bluetooth.
///
/// ``LanLinks`` decides which links are kept and whom to dial for them. ``LanBeacons`` decides when
/// to send beacons and whom to dial because of a beacon (Documentation/Protocol/Datagram.md). The
/// known networks are in the state file, which this value changes before it returns.
struct LanPresence: Sendable {
    /// An action for the service.
    enum Action: Hashable, Sendable {
        /// Dial a member over the networks, or at the source of its beacon.
        case dial(DeviceID, Route)
        /// Say on a link whether it is kept.
        case keep(UInt64, Bool)
        /// Say goodbye on a link.
        case drain(UInt64)
        /// Close a link whose address this device has lost.
        case close(UInt64)
        /// Begin the searches for clocks again, because datagrams come from other networks now.
        case searchClocksAgain
        /// Record that a local network passes something from a member to this device.
        case reached(DeviceID)
        /// Call ``send(_:into:from:hailed:_:_:at:)``.
        case send(LanBeacons.Hails, into: UInt32)
    }

    typealias Moment = BeaconAdvertiser.Moment

    /// The greatest number of hails that are sent with a beacon.
    static let maximumHails = 8

    private let logger: Logger
    private let trace: TraceRecorder
    private var links = LanLinks()
    private var beacons = LanBeacons()
    private var datagrams: LanDatagrams
    private var isOver = false

    /// - Parameter carrier: Sends and receives datagrams; nil if this device uses none.
    init(_ carrier: (any DatagramCarrier)?, logger: Logger, trace: TraceRecorder) {
        (datagrams, self.logger, self.trace) = (LanDatagrams(carrier), logger, trace)
    }

    /// The present networks, and the ones among them in which this device may speak first.
    var networks: LanNetworks { links.networks }

    /// The number of entries in each table, by name.
    var counts: [String: Int] {
        let own = ["lanLinks": links.count, "lanSearches": links.searchCount, "lanBeaconDials": beacons.dialledCount]
        return own.merging(datagrams.counts) { first, _ in first }
    }

    /// Returns when ``timePassed(_:at:)`` is due, or nil if it is not.
    func deadline(_ state: DeviceState, at now: Moment) -> Duration? {
        [links.deadline(at: now.uptime), beacons.deadline, datagrams.deadline(state, at: now)].compactMap(\.self).min()
    }

    /// Returns the endpoints of a device in the networks in which this device may speak first.
    func endpoints(of device: DeviceID, _ known: KnownNetworks, at uptime: Duration) -> [Endpoint] {
        (networks.places(known, at: uptime)[device] ?? []).flatMap(endpoints(at:))
    }

    /// Returns whether this side keeps a link between two addresses open while nothing is
    /// requested.
    func keeps(from local: [UInt8], to remote: [UInt8], _ known: KnownNetworks, at uptime: Duration) -> Bool {
        links.keeps(from: local, to: remote, known, at: uptime)
    }

    /// Returns the findings about the networks of this device.
    ///
    /// - Parameter hasRadio: Whether this device also reaches others by Bluetooth.
    func findings(_ state: DeviceState, hasRadio: Bool, at uptime: Duration) -> [Finding] {
        var findings: [Finding] = []
        let isUnknown = !networks.unknown(state.networks, at: uptime).isEmpty
        if isUnknown, !hasRadio, !links.isLinked, state.members.count > 1, networks.use == .known {
            findings.append(Finding(.networkUnknown, command: "baton lan here"))
        }
        if datagrams.isRefused, networks.use != .off { findings.append(Finding(.datagramsRefused)) }
        return findings
    }

    // MARK: - Networks

    /// Sets in which networks this device speaks first.
    mutating func use(_ use: LanUse, _ store: inout StateStore, at now: Moment) -> [Action] {
        carriedOut(links.use(use, store.state.networks, at: now.uptime), &store, at: now)
    }

    /// Adds the present networks to the known ones.
    ///
    /// - Returns: How many networks became known.
    /// - Throws: ``BatonError`` if no network can be recognised.
    mutating func knowNetworks(_ store: inout StateStore, at now: Moment) throws -> (count: Int, actions: [Action]) {
        let known = store.state.networks
        let identities = networks.joined.compactMap { networks.identity(of: $0, known, at: now.uptime) }
        guard !identities.isEmpty else { throw BatonError(.notFound, .noLocalNetwork) }
        try store.update { state in
            for identity in identities { state.networks.use(identity, at: now.unixTime) }
        }
        return (identities.count { !known.contains($0) }, timePassed(&store, at: now))
    }

    mutating func networksChanged(
        to networks: [LocalNetwork], _ store: inout StateStore, at now: Moment
    ) -> [Action] {
        // Record the use of the present networks before forgetting old ones. Otherwise this device
        // would forget a network that it leaves after months.
        usePresentNetworks(&store, at: now)
        Self.change(&store) { $0.forgetOld(at: now.unixTime) }
        let changes = links.networksChanged(to: networks, store.state.networks, at: now.uptime)
        usePresentNetworks(&store, at: now)
        return carriedOut(changes, &store, at: now)
    }

    /// Records, for each present network that is known, that this device is using it now.
    private func usePresentNetworks(_ store: inout StateStore, at now: Moment) {
        let known = store.state.networks
        let identities = networks.joined.compactMap { networks.identity(of: $0, known, at: now.uptime) }
            .filter(known.contains)
        Self.change(&store) { for identity in identities { $0.use(identity, at: now.unixTime) } }
    }

    /// Sets whether this device is silent in local networks. Before it falls silent, it says
    /// goodbye there.
    mutating func mute(_ isMuted: Bool, _ store: inout StateStore, at now: Moment) -> [Action] {
        carriedOut(links.mute(isMuted, store.state.networks, at: now.uptime), &store, at: now)
    }

    // MARK: - The circle

    /// Forgets devices that are not members of the circle.
    mutating func membersChanged(_ store: inout StateStore) {
        let state = store.state
        links.keep(where: state.isMember)
        beacons.keep(where: state.isMember)
        Self.change(&store) { $0.keep(where: state.isMember) }
    }

    /// Updates the keys with which hails, and beacons of other times, are opened.
    mutating func keysChanged(
        _ secret: CircleSecret?, pairwise: [DeviceID: PairwiseKey], _ state: DeviceState, at now: Moment
    ) -> [Action] {
        datagrams.keysChanged(secret, pairwise: pairwise)
        return beaconsChanged(state, at: now)
    }

    // MARK: - Links

    /// Adds a link between two addresses. Ignores a link that is in no local network.
    mutating func opened(
        _ link: UInt64, to device: DeviceID, from local: [UInt8], to remote: [UInt8], _ state: DeviceState,
        at now: Moment
    ) -> [Action] {
        links.opened(link, to: device, from: local, to: remote, state.networks, at: now.uptime)
        guard let network = links.network(of: link) else { return [] }
        beacons.linked(device, in: network, at: now.uptime)
        return beaconsChanged(state, at: now)
    }

    /// Records where the device of a link listens.
    mutating func told(
        _ places: [KnownNetworks.Place], over link: UInt64, _ store: inout StateStore, at now: Moment
    ) -> [Action] {
        carriedOut(links.told(places, over: link, store.state.networks, at: now.uptime), &store, at: now)
    }

    mutating func ended(_ link: UInt64, isLost: Bool, _ store: inout StateStore, at now: Moment) -> [Action] {
        carriedOut(links.ended(link, isLost: isLost, store.state.networks, at: now.uptime), &store, at: now)
    }

    /// Remembers where another device listens after this device has dialled it, to add it to the
    /// circle or to join its circle. Then searches for the device.
    mutating func met(
        _ device: DeviceID, at place: KnownNetworks.Place, from local: [UInt8], to remote: [UInt8],
        _ store: inout StateStore, at now: Moment
    ) -> [Action] {
        guard networks.use != .off, let network = networks.network(from: local, to: remote),
            let identity = networks.identity(of: network, store.state.networks, at: now.uptime)
        else { return [] }
        let actions = remember(device, at: [place], in: identity, &store, at: now)
        return actions + carriedOut(links.joined(device, store.state.networks, at: now.uptime), &store, at: now)
    }

    private mutating func carriedOut(
        _ changes: [LanLinks.Action], _ store: inout StateStore, at now: Moment
    ) -> [Action] {
        var actions: [Action] = []
        for change in changes {
            switch change {
            case .dial(let device): actions.append(.dial(device, .lan))
            case .keep(let link, let keeps): actions.append(.keep(link, keeps))
            case .drain(let link): actions.append(.drain(link))
            case .close(let link): actions.append(.close(link))
            case .remember(let device, let places, let identity):
                actions += remember(device, at: places, in: identity, &store, at: now)
            }
        }
        return actions + beaconsChanged(store.state, at: now)
    }

    private mutating func remember(
        _ device: DeviceID, at places: [KnownNetworks.Place], in identity: [UInt8], _ store: inout StateStore,
        at now: Moment
    ) -> [Action] {
        var networks = store.state.networks
        networks.met(device, at: places, in: identity, unixTime: now.unixTime)
        guard networks != store.state.networks else { return [] }
        do {
            try store.update { $0.networks = networks }
        } catch {
            logger.debug("where \(device) listens was not kept: \(error)")
            return []
        }
        return carriedOut(links.timePassed(networks, at: now.uptime), &store, at: now)
    }

    /// Changes the known networks, and stores the result if it differs. If it cannot be stored, the
    /// known networks stay as they were.
    private static func change(_ store: inout StateStore, _ change: (inout KnownNetworks) -> Void) {
        var networks = store.state.networks
        change(&networks)
        if networks != store.state.networks { try? store.update { $0.networks = networks } }
    }

    // MARK: - Time and requests

    mutating func timePassed(_ store: inout StateStore, at now: Moment) -> [Action] {
        let changes = links.timePassed(store.state.networks, at: now.uptime)
        let actions = carriedOut(changes, &store, at: now)
        return actions + found(isOver ? nil : datagrams.search(store.state, at: now), store.state, at: now)
    }

    mutating func activityBecameCurrent(_ store: inout StateStore, at now: Moment) -> [Action] {
        let changes = links.activityBecameCurrent(store.state.networks, at: now.uptime)
        return carriedOut(changes, &store, at: now) + carriedOut(beacons.activityBecameCurrent(at: now.uptime))
    }

    /// Sends a beacon because a program asks for the list of offers.
    mutating func looked(at now: Moment) -> [Action] { carriedOut(beacons.looked(at: now.uptime)) }

    /// Begins the search for clocks again that has ended.
    mutating func searchClocksAgain(_ state: DeviceState, at now: Moment) -> [Action] {
        found(isOver ? nil : datagrams.searchAgain(state, at: now), state, at: now)
    }

    /// Sends and receives nothing from now on.
    mutating func stop() {
        isOver = true
        datagrams.stop()
    }

    // MARK: - Beacons

    /// Updates the beacons after a change of the networks, the links or the circle.
    private mutating func beaconsChanged(_ state: DeviceState, at now: Moment) -> [Action] {
        let isSilent = links.isMuted || state.circle == nil || isOver
        beacons.missingChanged(to: state.others.subtracting(links.linkedDevices), at: now.uptime)
        // The sockets must be open before anything is sent.
        let isElsewhere = datagrams.receive(in: isSilent ? [] : networks.heard.map(\.network))
        let open = isSilent ? [] : networks.open(state.networks, at: now.uptime)
        let actions = carriedOut(beacons.networksChanged(to: open, at: now.uptime))
        return (isElsewhere ? [.searchClocksAgain] : []) + actions
    }

    private func carriedOut(_ actions: [LanBeacons.Action]) -> [Action] {
        actions.compactMap { action in
            switch action {
            case .send(let interface, let hails): return .send(hails, into: interface)
            case .dial(let device, let place, let interface):
                guard let network = networks.network(at: interface)?.network, network.contains(place.address),
                    let endpoint = Self.endpoint(at: place, in: network)
                else { return nil }
                logger.debug("\(device) sends its beacon into this network")
                return .dial(device, .at(endpoint))
            }
        }
    }

    /// Sends this device's beacon, and hails to members, into the network of an interface.
    ///
    /// - Parameters:
    ///   - port: The port at which this device listens; nil if it does not listen in networks.
    ///   - hailed: The members to hail wherever they are. Members that are linked here are left
    ///     out.
    mutating func send(
        _ hails: LanBeacons.Hails, into interface: UInt32, from port: UInt16?, hailed: Set<DeviceID>,
        _ keys: inout BeaconKeys, _ state: DeviceState, at unixTime: Int64
    ) {
        guard let port, !isOver, !links.isMuted, let network = networks.network(at: interface)?.network else { return }
        trace.record(.connections, "beacon sent")
        let beacon = Beacon(device: state.identity.id.short, port: port)
        let devices = members(hailedWith: hails, hailed, of: state.others)
        datagrams.send(beacon, hailing: devices, into: network, &keys, at: unixTime)
    }

    /// Returns the members that are hailed together with a beacon. Members that perhaps lack the
    /// circle's latest state come first.
    private func members(
        hailedWith hails: LanBeacons.Hails, _ hailed: Set<DeviceID>, of others: Set<DeviceID>
    ) -> [DeviceID] {
        let missing = others.subtracting(links.linkedDevices)
        let due = hailed.intersection(missing)
        let more: Set<DeviceID> =
            switch hails {
            case .due: []
            case .also(let device): [device]
            case .all: missing
            }
        return Array((due.sorted() + more.subtracting(due).sorted()).prefix(Self.maximumHails))
    }

    /// Handles a datagram from a host of a local network.
    ///
    /// - Parameter open: Opens a beacon with the circle's secret. The network's identity follows
    ///   the datagram.
    mutating func received(
        _ datagram: ReceivedDatagram, _ state: DeviceState, at now: Moment, open: ([UInt8]) -> OpenedBeacon?
    ) -> [Action] {
        guard !isOver, !links.isMuted, state.circle != nil,
            let network = networks.heard.first(where: { $0.network.interface == datagram.interface })
        else { return [] }
        return found(datagrams.received(datagram, in: network, state, at: now, open: open), state, at: now)
    }

    /// Handles the beacon or hail of a member. A replay is possible, so the datagram proves little.
    private mutating func found(
        _ datagram: LanDatagrams.Found?, _ state: DeviceState, at now: Moment
    ) -> [Action] {
        guard let datagram, case let device = datagram.device, device != state.identity.id, state.isMember(device),
            !networks.has(datagram.source)
        else { return [] }
        trace.record(.connections, "beacon heard", [.device(device.description, name: state.name(of: device))])
        let reached: [Action] = datagram.isOld ? [] : [.reached(device)]
        return reached
            + carriedOut(
                beacons.heard(
                    device, at: KnownNetworks.Place(address: datagram.source, port: datagram.port),
                    in: datagram.interface, isLinked: links.isLinked(device, at: datagram.source),
                    isOld: datagram.isOld, at: now.uptime))
    }

    // MARK: - Endpoints

    /// Returns the endpoints of a place. A link-local IPv6 address may belong to any of the
    /// networks.
    private func endpoints(at place: KnownNetworks.Place) -> [Endpoint] {
        let possible = networks.joined.map(\.network).filter { $0.contains(place.address) }
        return possible.compactMap { Self.endpoint(at: place, in: $0) }.reduce(into: []) {
            if !$0.contains($1) { $0.append($1) }
        }
    }

    private static func endpoint(at place: KnownNetworks.Place, in network: LocalNetwork) -> Endpoint? {
        let isLinkLocal = LocalNetwork.Address(bytes: place.address, prefixLength: 64).isLinkLocal
        let zone = place.address.count == 16 && isLinkLocal ? "%\(network.name)" : ""
        return HostAddress(bytes: place.address).text.map {
            Endpoint(transport: .tcp, address: $0 + zone, port: place.port)
        }
    }
}
