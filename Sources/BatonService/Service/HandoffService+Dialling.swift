// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport
import Diagnosis
import NIOCore

/// Finds the endpoints of devices, the likeliest first. The ``Dialler`` dials these endpoints.
extension HandoffService: DiallerDelegate {
    nonisolated var dialler: Dialler {
        Dialler(
            transports: transports, channels: channels, clock: clock, logger: logger, trace: trace, delegate: self)
    }

    /// Returns the endpoints at which a device may answer. The endpoints come from an open radio
    /// channel, from the radio's sightings, from the device's hellos, and from local networks.
    func endpoints(of device: DeviceID) -> [Endpoint] {
        let heard = sightings.book.heard(device.short).prefix(3).map {
            radio.endpoint($0.address, port: UInt16($0.psm))
        }
        let linked = linkedEndpoint(of: device, port: heard.first?.port).map { [$0] } ?? []
        let seeming = peers[device].addresses.radio(at: clock.uptime)
        let byRadio = (linked + heard + seeming).reduce(into: [Endpoint]()) {
            if !$0.contains($1) { $0.append($1) }
        }
        let told = peers[device].addresses.told(at: clock.uptime)
        return byRadio + told + lanEndpoints(of: device).filter { !told.contains($0) }
    }

    private func lanEndpoints(of device: DeviceID) -> [Endpoint] {
        lan.endpoints(of: device, store.state.networks, at: clock.uptime)
    }

    /// Returns the endpoints at which to dial a device on a route.
    ///
    /// - Throws: ``HandoffError`` when the route needs the device to be near, and it is not.
    func endpoints(of device: DeviceID, by route: Route) throws -> [Endpoint] {
        if route == .lan { return lanEndpoints(of: device) }
        if case .at(let endpoint) = route { return [endpoint] }
        if case .besides(let kind) = route { return endpoints(of: device).filter { $0.transport != kind } }
        guard case .near(let signal) = route else { return endpoints(of: device) }
        let near = sightings.book.heard(device.short).filter { $0.signal.map { $0 >= signal } ?? false }
        guard let psm = near.first?.psm else {
            throw HandoffError(.connectionUnavailable, .notNear)
        }
        let linked = linkedEndpoint(of: device, port: UInt16(psm)).flatMap {
            isHeardFar(device, at: $0.address, than: signal) ? nil : $0
        }
        return near.prefix(3).reduce(into: linked.map { [$0] } ?? []) {
            let endpoint = radio.endpoint($1.address, port: UInt16($1.psm))
            if !$0.contains(endpoint) { $0.append(endpoint) }
        }
    }

    /// Counts a dial to a device that seems to be near.
    ///
    /// - Throws: ``HandoffError`` when a recent dial to the device has failed.
    func countNearDial(_ device: DeviceID) throws {
        guard peers[device].dialTurns.takeNear(at: clock.uptime) else {
            throw HandoffError(.connectionUnavailable, .recentlyUnreached)
        }
    }

    /// Returns the links to a device on a route. A radio link shows that the device is in range,
    /// unless the radio hears the device at the link's address with too weak a signal.
    func usableLinks(to device: DeviceID, by route: Route) -> [PeerLink] {
        if route == .lan { return peers.links.to(device).filter { $0.traits.range == .network } }
        if case .at(let endpoint) = route {
            return peers.links.to(device).filter { $0.channel.remote.address == endpoint.address }
        }
        if case .besides(let kind) = route { return peers.links.to(device).filter { $0.traits.kind != kind } }
        guard case .near(let signal) = route else { return peers.links.to(device) }
        guard let link = peers.links.to(device).first(where: { $0.traits.range == .radio }),
            !isHeardFar(device, at: link.channel.remote.address, than: signal)
        else { return [] }
        return [link]
    }

    /// Returns whether a device is heard at an address with a weaker signal than a given one, in
    /// dBm.
    private func isHeardFar(_ device: DeviceID, at address: String, than signal: Int) -> Bool {
        sightings.book.heard(device.short).contains { $0.address == address && $0.signal.map { $0 < signal } ?? false }
    }

    /// Returns the endpoint of the open radio channel to a device, or nil if there is none. A
    /// device that begins a new advertisement may have another address, but there cannot be a
    /// second radio link to it. While a channel is open, the channel's address reaches the device
    /// (Decisions/0034-one-link-to-a-device.md).
    private func linkedEndpoint(of device: DeviceID, port: UInt16?) -> Endpoint? {
        guard let remote = openOnRadio(to: .member(device))?.remote,
            let port = port ?? (remote.port == 0 ? nil : remote.port)
        else { return nil }
        return radio.endpoint(remote.address, port: port)
    }

    func ownFirst(_ endpoints: [Endpoint], of peer: ChannelPeer) -> [Endpoint] {
        guard case .member(let device) = peer else { return endpoints }
        return peers[device].addresses.ownFirst(endpoints)
    }

    /// Returns whether this device has the greater id of two members. The devices of a pairing or
    /// an invitation never dial each other, because one of them waits for the other's dial.
    func yields(to peer: ChannelPeer) -> Bool {
        guard case .member(let device) = peer else { return false }
        return device.bytes.lexicographicallyPrecedes(identity.id.bytes)
    }

    func isOpenOnRadio(to peer: ChannelPeer) -> Bool { openOnRadio(to: peer) != nil }

    /// Returns an open radio channel to a peer, or nil if there is none.
    private func openOnRadio(to peer: ChannelPeer) -> SecureChannel? {
        radioChannels.first { $0.peer == peer }
    }

    /// All open channels over the radio.
    private var radioChannels: [SecureChannel] {
        (peers.links.open.map(\.channel) + streams.channels + peers.probes.trials.all).filter {
            $0.traits.range == .radio && $0.channel.isActive
        }
    }

    /// Drops a radio link on which too many channels ended before they proved their identity. A
    /// member's channels end like that when TCP wins the race, so a link with a proved channel
    /// stays, even if its handshake is not complete.
    func linkFailed(to address: String) async {
        guard !channels.pendingChannels.isWaiting(from: address),
            !radioChannels.contains(where: { $0.remote.address == address })
        else { return }
        await radio.disconnect(radio.endpoint(address, port: 0))
    }

    // MARK: - Networks that lead to devices, and back

    /// Records that a dialled device has proved its identity.
    func answered(_ channel: SecureChannel) {
        guard case .member(let device) = channel.peer, channel.traits.range == .network else { return }
        peers[device].networkFailures.answered()
        peers[device].addresses.proved(at: channel.remote)
    }

    /// Records that a device has dialled this device and proved its identity.
    func reached(by channel: SecureChannel) {
        guard case .member(let device) = channel.peer, channel.traits.range == .network else { return }
        peers[device].networkFailures.reached()
        peers[device].addresses.proved(at: channel.remote)
    }

    /// Records that a device did not answer over a network in time.
    func unanswered(by device: DeviceID, at endpoints: [Endpoint]) {
        let endpoints = endpoints.filter { transports.range(of: $0) == .network }
        guard !endpoints.isEmpty else { return }
        peers[device].networkFailures.unanswered(
            at: endpoints, isNearby: endpoints.contains { transports[$0.transport]?.isNearby($0) == true },
            uptime: clock.uptime)
        judgeIsolation(of: device)
    }

    /// Records that a device opened streams over the radio. If both devices use networks, that
    /// device must have failed to reach this device there, because streams prefer a network
    /// (Streams.md).
    func cameByRadio(_ channel: SecureChannel, from device: DeviceID) {
        guard channel.traits.range == .radio, !reachability.told.isEmpty,
            !peers[device].addresses.told(at: clock.uptime).isEmpty
        else { return }
        peers[device].networkFailures.unreached(at: clock.uptime)
    }

    // MARK: - Inviters (Decisions/0028-inviters-with-private-addresses.md)

    /// The greatest number of unknown advertisers that are dialled for one invitation, those with
    /// the strongest signals first.
    static let maximumStrangersDialled = 4

    /// Returns the endpoints of nearby advertisers, or none if the radio hears an address that the
    /// invitation names.
    func advertisers(insteadOf named: [Endpoint]) -> [Endpoint] {
        let onRadio = named.filter { transports.range(of: $0) == .radio }
        guard let port = onRadio.first?.port, !onRadio.contains(where: { sightings.strangers.contains($0.address) })
        else {
            return []
        }
        return sightings.strangers.strongest(Self.maximumStrangersDialled)
            .map { radio.endpoint($0, port: port) }
    }
}
