// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonProtocol
import BatonTransport
import Diagnosis
import HostAddresses
import LocalDatagrams
import LocalNetworks
import Logging

/// Keeps links over local networks, so that offers need no Bluetooth. ``LanLinks`` decides which
/// links are kept.
extension HandoffService {
    /// Sets in which local networks this device speaks first.
    ///
    /// - Parameters:
    ///   - tellsTitles: Whether the title of an activity is sent to linked devices that have not
    ///     asked for it.
    ///   - isLocked: Whether the screen is locked. While it is locked, no activity is sent over
    ///     links, and no activity from a link is shown.
    public func useLocalNetworks(_ use: LanUse, tellsTitles: Bool, isLocked: Bool) {
        carryOut(reachability.lan.use(use, store.state.networks, at: clock.uptime))
        reachability.linkOffers.tellsTitles = tellsTitles
        if reachability.linkOffers.isLocked != isLocked {
            reachability.linkOffers.isLocked = isLocked
            for (link, device, offer) in reachability.linkOffers.shown { show(offer, of: device, over: link) }
        }
        tellOffers()
    }

    /// Adds the present local networks to the known networks, in which this device speaks first.
    ///
    /// - Returns: How many networks became known.
    /// - Throws: ``BatonError`` if no network can be recognised.
    public func knowNetworks() throws -> Int {
        let (lan, now) = (reachability.lan.networks, clock.uptime)
        let identities = lan.joined.compactMap { lan.identity(of: $0, store.state.networks, at: now) }
        guard !identities.isEmpty else { throw BatonError(.notFound, .noLocalNetwork) }
        let known = store.state.networks
        try store.update { state in
            for identity in identities { state.networks.use(identity, at: clock.unixTime) }
        }
        lanTimePassed()
        return identities.count { !known.contains($0) }
    }

    func networksChanged(_ networks: [LocalNetwork]) {
        // Record the use of the present networks before forgetting old ones. Otherwise this device
        // would forget a network that it leaves after months.
        usePresentNetworks()
        changeKnownNetworks { $0.forgetOld(at: clock.unixTime) }
        let former = reachability.lan.networks
        let actions = reachability.lan.networksChanged(to: networks, store.state.networks, at: clock.uptime)
        usePresentNetworks()
        carryOut(actions)
        let present = reachability.lan.networks
        for pair in streams.all {
            guard let (local, _) = pair.channel.addresses, former.has(local), !present.has(local) else { continue }
            pair.handle.pathLost(pair.channel)
        }
    }

    /// Records that this device is now using those of its present networks that are known.
    private func usePresentNetworks() {
        let (lan, known) = (reachability.lan.networks, store.state.networks)
        let identities = lan.joined.compactMap { lan.identity(of: $0, known, at: clock.uptime) }.filter(known.contains)
        changeKnownNetworks { for identity in identities { $0.use(identity, at: clock.unixTime) } }
    }

    func lanTimePassed() { carryOut(reachability.lan.timePassed(store.state.networks, at: clock.uptime)) }

    func lanActivityBecameCurrent() {
        carryOut(reachability.lan.activityBecameCurrent(store.state.networks, at: clock.uptime))
        sendLanBeaconsForActivity()
    }

    /// Sets whether this device is silent in local networks. Before it falls silent, it says
    /// goodbye there.
    func muteLan(_ isMuted: Bool) {
        carryOut(reachability.lan.mute(isMuted, store.state.networks, at: clock.uptime))
    }

    private func carryOut(_ actions: [LanLinks.Action]) {
        for action in actions {
            switch action {
            case .dial(let device): dialForPresence(device)
            case .keep(let number, let keeps): openLink(number)?.keep(keeps)
            case .drain(let number): openLink(number)?.drain(.muted)
            case .close(let number): openLink(number)?.channel.close()
            case .remember(let device, let places, let identity): remember(device, at: places, in: identity)
            }
        }
        schedule(.lan, at: reachability.lan.deadline(at: clock.uptime))
        lanBeaconsChanged()
    }

    private func openLink(_ number: UInt64) -> PeerLink? { peers.links.open.first { $0.number == number } }

    private func dialForPresence(_ device: DeviceID) {
        guard !lifecycle.isStopping, isMember(device) else { return }
        background.begin { [logger] in
            do {
                _ = try await self.link(to: device, by: .lan)
            } catch {
                logger.debug("\(device) does not answer in this network: \(error)")
            }
        }
    }

    private func remember(_ device: DeviceID, at places: [KnownNetworks.Place], in identity: [UInt8]) {
        var networks = store.state.networks
        networks.met(device, at: places, in: identity, unixTime: clock.unixTime)
        guard networks != store.state.networks else { return }
        do {
            try store.update { $0.networks = networks }
        } catch {
            return logger.debug("where \(device) listens was not kept: \(error)")
        }
        carryOut(reachability.lan.timePassed(networks, at: clock.uptime))
    }

    func forgetStrangersInNetworks() {
        reachability.lan.keep(where: isMember)
        reachability.beacons.keep(where: isMember)
        changeKnownNetworks { $0.keep(where: isMember) }
    }

    /// Changes the known networks, and stores the result if it differs. If it cannot be stored, the
    /// known networks stay as they were.
    private func changeKnownNetworks(_ change: (inout KnownNetworks) -> Void) {
        var networks = store.state.networks
        change(&networks)
        if networks != store.state.networks { try? store.update { $0.networks = networks } }
    }

    /// Returns the endpoints of a device in the networks in which this device may speak first.
    func lanEndpoints(of device: DeviceID) -> [Endpoint] {
        let places = reachability.lan.networks.places(store.state.networks, at: clock.uptime)[device] ?? []
        return places.flatMap(endpoints(at:))
    }

    /// Returns the endpoints of a place. A link-local IPv6 address may belong to any of the
    /// networks.
    private func endpoints(at place: KnownNetworks.Place) -> [Endpoint] {
        let networks = reachability.lan.networks.joined.map(\.network).filter { $0.contains(place.address) }
        return networks.compactMap { endpoint(at: place, in: $0) }.reduce(into: []) {
            if !$0.contains($1) { $0.append($1) }
        }
    }

    /// Returns the endpoint of a place in a network.
    func endpoint(at place: KnownNetworks.Place, in network: LocalNetwork) -> Endpoint? {
        let isLinkLocal = LocalNetwork.Address(bytes: place.address, prefixLength: 64).isLinkLocal
        let zone = place.address.count == 16 && isLinkLocal ? "%\(network.name)" : ""
        return HostAddress(bytes: place.address).text.map {
            Endpoint(transport: .tcp, address: $0 + zone, port: place.port)
        }
    }

    /// The findings about the networks of this device.
    var networkFindings: [Finding] {
        let isRefused = environment.datagrams?.isRefused == true && reachability.lan.networks.use != .off
        return unknownNetworks + (isRefused ? [Finding(.datagramsRefused)] : [])
    }

    /// The finding that this device reaches others neither by Bluetooth nor in its present
    /// networks, which are unknown; empty if it can reach others.
    private var unknownNetworks: [Finding] {
        let hasRadio = radio.kind == .l2cap && radioStatus.condition == .ready
        let unknown = reachability.lan.networks.unknown(store.state.networks, at: clock.uptime)
        guard !hasRadio, !unknown.isEmpty, !reachability.lan.isLinked, (circle?.roster.members.count ?? 0) > 1,
            reachability.lan.networks.use == .known
        else { return [] }
        return [Finding(.networkUnknown, command: "baton lan here")]
    }

    // MARK: - Links

    /// Returns whether this side keeps a link on a channel open while nothing is requested.
    func keeps(_ channel: SecureChannel) -> Bool {
        guard let (local, remote) = channel.addresses else { return false }
        return reachability.lan.keeps(from: local, to: remote, store.state.networks, at: clock.uptime)
    }

    func lanOpened(_ link: PeerLink) {
        guard let (local, remote) = link.channel.addresses else { return }
        reachability.lan.opened(
            link.number, to: link.device, from: local, to: remote, store.state.networks, at: clock.uptime)
        lanBeaconsLinked(link)
    }

    /// Records where the device of a link listens.
    func lanTold(_ told: [Endpoint], over link: PeerLink) {
        guard let (_, remote) = link.channel.addresses else { return }
        let places = told.compactMap(\.place)
        // The device listens on the same port at all its addresses.
        let port = link.channel.remote.port != 0 ? link.channel.remote.port : places.first?.port ?? 0
        let own = KnownNetworks.Place(address: remote, port: port)
        let all = (port == 0 ? [] : [own]) + places.filter { $0 != own }
        carryOut(reachability.lan.told(all, over: link.number, store.state.networks, at: clock.uptime))
    }

    func lanEnded(_ link: PeerLink, isLost: Bool) {
        carryOut(reachability.lan.ended(link.number, isLost: isLost, store.state.networks, at: clock.uptime))
    }

    /// Remembers the address of another device after this device has dialled it, to add it to the
    /// circle or to join its circle.
    func met(_ device: DeviceID, on channel: SecureChannel) {
        let networks = reachability.lan.networks
        guard networks.use != .off, channel.remote.port != 0, let place = channel.remote.place,
            let (local, remote) = channel.addresses, let network = networks.network(from: local, to: remote),
            let identity = networks.identity(of: network, store.state.networks, at: clock.uptime)
        else { return }
        remember(device, at: [place], in: identity)
        carryOut(reachability.lan.joined(device, store.state.networks, at: clock.uptime))
    }

    // MARK: - Offers

    func link(_ link: PeerLink, offers offer: LinkOffer?) {
        // A link that drains or has ended carries no offer, even if its last offer comes only now.
        let offer = link.acceptsRequests ? offer : nil
        let shown = reachability.linkOffers.told(offer, by: link.device, over: link.number)
        show(shown, of: link.device, over: link.number)
    }

    private func show(_ offer: LinkOffer?, of device: DeviceID, over link: UInt64) {
        carryOut(sightings.book.offered(offer, by: device.short, over: link, at: clock.uptime))
    }

    /// Sends this device's current activity over the links that are kept.
    func tellOffers() {
        for link in peers.links.all { link.tell(toldOffer) }
    }

    /// The activity that this device sends over links.
    var toldOffer: LinkOffer {
        let beacon = advertising.advertiser?.current
        let offered = reachability.linkOffers.isLocked ? nil : beacon?.offered
        let title = reachability.linkOffers.tellsTitles ? advertisedEntry?.state.title : nil
        let isTold = offered != nil && title.map { (1...LinkOffer.maximumTitleLength).contains($0.utf8.count) } == true
        return LinkOffer(
            sequence: beacon?.sequence ?? 0, activity: offered?.bytes, flags: offered == nil ? [] : beacon?.flags ?? [],
            title: isTold ? title : nil)
    }

    /// Returns once it is known whether the offers from links are still valid.
    ///
    /// - Parameter device: The device whose offers are checked; nil for all devices.
    func confirmLinkOffers(of device: DeviceID? = nil) async {
        let links = reachability.linkOffers.links(of: device)
        guard !links.isEmpty else { return }
        await withTaskGroup(of: Void.self) { group in
            for link in peers.links.open where links.contains(link.number) {
                group.addTask { await link.confirmOffer() }
            }
        }
    }
}

extension SecureChannel {
    /// The IP addresses of this device and of the peer, or nil if the channel is not over a
    /// network.
    fileprivate var addresses: (local: [UInt8], remote: [UInt8])? {
        guard traits.range == .network,
            let local = localAddress.flatMap({ HostAddress.parsing(String($0.prefix { $0 != "%" })) }),
            let remote = HostAddress.parsing(String(remote.address.prefix { $0 != "%" }))
        else { return nil }
        return (local.bytes, remote.bytes)
    }
}

extension Endpoint {
    /// The form in which the endpoint is remembered; nil unless it has an IP address and a TCP
    /// port.
    fileprivate var place: KnownNetworks.Place? {
        guard transport == .tcp, port != 0 else { return nil }
        return HostAddress.parsing(String(address.prefix { $0 != "%" })).map {
            KnownNetworks.Place(address: $0.bytes, port: port)
        }
    }
}
