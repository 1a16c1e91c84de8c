// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport
import Diagnosis
import HostAddresses
import LocalDatagrams
import LocalNetworks
import Logging

/// Carries out what ``LanPresence`` decides: keeps links over local networks, so that offers need
/// no Bluetooth.
extension HandoffService {
    /// How long a program waits for the kernel's list of local networks.
    static let networksTimeout = Duration.seconds(5)

    /// Sets in which local networks this device speaks first.
    ///
    /// - Parameters:
    ///   - tellsTitles: Whether the title of an activity is sent to linked devices that have not
    ///     asked for it.
    ///   - isLocked: Whether the screen is locked. While it is locked, no activity is sent over
    ///     links, and no activity from a link is shown.
    public func useLocalNetworks(_ use: LanUse, tellsTitles: Bool, isLocked: Bool) {
        carryOut(lan.use(use, &store, at: moment))
        for (link, device, offer) in sightings.linkOffers.use(tellsTitles: tellsTitles, isLocked: isLocked) {
            show(offer, of: device, over: link)
        }
        tellOffers()
    }

    /// Adds the present local networks to the known networks, in which this device speaks first.
    ///
    /// If the call has started the daemon, the networks are not read yet. So it waits for them.
    ///
    /// - Returns: How many networks became known.
    /// - Throws: ``BatonError`` if no network can be recognised.
    public func knowNetworks() async throws -> Int {
        if environment.networks != nil {
            try? await lifecycle.hasNetworks.value(
                until: clock.uptime + Self.networksTimeout, clock, late: Self.ending)
        }
        let known = try lan.knowNetworks(&store, at: moment)
        carryOut(known.actions)
        return known.count
    }

    func networksChanged(_ networks: [LocalNetwork]) {
        let former = lan.networks
        carryOut(lan.networksChanged(to: networks, &store, at: moment))
        let present = lan.networks
        for pair in streams.all {
            guard let (local, _) = pair.channel.addresses, former.has(local), !present.has(local) else { continue }
            pair.handle.pathLost(pair.channel)
        }
        lifecycle.hasNetworks.resolve(with: .success(()))
    }

    func received(_ datagram: ReceivedDatagram) {
        let now = moment
        carryOut(lan.received(datagram, store.state, at: now) { open($0, at: now) })
    }

    func lanTimePassed() { carryOut(lan.timePassed(&store, at: moment)) }

    func carryOut(_ actions: [LanPresence.Action]) {
        for action in actions {
            switch action {
            case .dial(let device, let route): dialInNetwork(device, by: route)
            case .keep(let number, let keeps):
                openLink(number)?.keep(keeps)
                listeningChanged()
            case .drain(let number): openLink(number)?.drain(.muted)
            case .close(let number): openLink(number)?.channel.close()
            case .searchClocksAgain: searchClocksAgain()
            case .reached(let device): peers[device].networkFailures.passedAnything()
            case .send(let hails, let interface):
                lan.send(
                    hails, into: interface, from: reachability.listeners.networkPort, hailed: hailed,
                    &advertising.keys, store.state, at: clock.unixTime)
            }
        }
        schedule(.lan, at: lan.deadline(store.state, at: moment))
    }

    private func openLink(_ number: UInt64) -> PeerLink? { peers.links.open.first { $0.number == number } }

    private func dialInNetwork(_ device: DeviceID, by route: Route) {
        guard !lifecycle.isStopping, isMember(device) else { return }
        let place = route == .lan ? "in this network" : "at the source of its beacon"
        background.begin { [logger] in
            do {
                _ = try await self.link(to: device, by: route)
            } catch {
                logger.debug("\(device) does not answer \(place): \(error)")
                if route == .lan { await self.judgeIsolation(of: device) }
            }
        }
    }

    /// Returns whether this side keeps a link on a channel open while nothing is requested.
    func keeps(_ channel: SecureChannel) -> Bool {
        guard let (local, remote) = channel.addresses else { return false }
        return lan.keeps(from: local, to: remote, store.state.networks, at: clock.uptime)
    }

    func lanOpened(_ link: PeerLink) {
        guard let (local, remote) = link.channel.addresses else { return }
        carryOut(lan.opened(link.number, to: link.device, from: local, to: remote, store.state, at: moment))
    }

    /// Records where the device of a link listens.
    func lanTold(_ told: [Endpoint], over link: PeerLink) {
        guard let (_, remote) = link.channel.addresses else { return }
        let places = told.compactMap(\.place)
        // The device listens on the same port at all its addresses.
        let port = link.channel.remote.port != 0 ? link.channel.remote.port : places.first?.port ?? 0
        let own = KnownNetworks.Place(address: remote, port: port)
        let all = (port == 0 ? [] : [own]) + places.filter { $0 != own }
        carryOut(lan.told(all, over: link.number, &store, at: moment))
    }

    /// Remembers the address of another device that this device has dialled to add it to the circle
    /// or to join its circle.
    func met(_ device: DeviceID, on channel: SecureChannel) {
        guard channel.remote.port != 0, let place = channel.remote.place, let (local, remote) = channel.addresses
        else { return }
        carryOut(lan.met(device, at: place, from: local, to: remote, &store, at: moment))
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
