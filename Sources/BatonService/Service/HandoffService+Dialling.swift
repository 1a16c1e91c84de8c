// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport
import NIOCore

/// Where devices are reached, the likeliest way first; how they are dialled there is the
/// ``Dialler``'s affair.
extension HandoffService: DiallerDelegate {
    nonisolated var dialler: Dialler {
        Dialler(
            transports: transports, channels: channels, clock: clock, logger: logger, trace: trace, delegate: self)
    }

    /// Where a device may answer: where a channel leads to it, where it was heard, and where it
    /// said that it listens.
    func endpoints(of device: DeviceID) -> [Endpoint] {
        let heard = sightings.book.heard(device.short).prefix(3).map {
            radio.endpoint($0.address, port: UInt16($0.psm))
        }
        let linked = linkedEndpoint(of: device, port: heard.first?.port).map { [$0] } ?? []
        let seeming = peers.directory.radioEndpoints(of: device, at: clock.uptime)
        let byRadio = (linked + heard + seeming).reduce(into: [Endpoint]()) {
            if !$0.contains($1) { $0.append($1) }
        }
        return byRadio + peers.directory.toldEndpoints(of: device, at: clock.uptime)
    }

    /// Where a device may be dialled on a route.
    ///
    /// - Throws: ``HandoffError`` when it is to be near, and is not.
    func endpoints(of device: DeviceID, by route: Route) throws -> [Endpoint] {
        guard case .near(let signal) = route else { return endpoints(of: device) }
        let near = sightings.book.heard(device.short).filter { $0.signal.map { $0 >= signal } ?? false }
        guard let psm = near.first?.psm else {
            throw HandoffError(
                .connectionUnavailable, "the other device is not near any more; bring it nearer and try again")
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
    /// - Throws: ``HandoffError`` when it was dialled in vain a short while ago.
    func countNearDial(_ device: DeviceID) throws {
        guard peers.directory.beginNearDial(to: device, at: clock.uptime) else {
            throw HandoffError(
                .connectionUnavailable,
                "what is heard of the other device did not lead to it a short while ago; it is tried again within ten minutes"
            )
        }
    }

    /// The links that there are to a device on a route. One over the radio shows that a device is
    /// in its range, unless it is heard at that very address to be far.
    func usableLinks(to device: DeviceID, by route: Route) -> [PeerLink] {
        guard case .near(let signal) = route else { return peers.links.to(device) }
        guard let link = peers.links.to(device).first(where: { $0.traits.range == .radio }),
            !isHeardFar(device, at: link.channel.remote.address, than: signal)
        else { return [] }
        return [link]
    }

    /// Whether a device is heard at an address, and more weakly than with so many dBm.
    private func isHeardFar(_ device: DeviceID, at address: String, than signal: Int) -> Bool {
        sightings.book.heard(device.short).contains { $0.address == address && $0.signal.map { $0 < signal } ?? false }
    }

    /// A device that advertises anew may have another address by now, but there cannot be a second
    /// link to it: while a channel is open, it is reached by the address of that
    /// (Decisions/0034-one-link-to-a-device.md).
    private func linkedEndpoint(of device: DeviceID, port: UInt16?) -> Endpoint? {
        guard let remote = openOnRadio(to: .member(device))?.remote,
            let port = port ?? (remote.port == 0 ? nil : remote.port)
        else { return nil }
        return radio.endpoint(remote.address, port: port)
    }

    func ownFirst(_ endpoints: [Endpoint], of peer: ChannelPeer) -> [Endpoint] {
        guard case .member(let device) = peer else { return endpoints }
        return peers.directory.ownFirst(endpoints, of: device)
    }

    func isOpenOnRadio(to peer: ChannelPeer) -> Bool { openOnRadio(to: peer) != nil }

    /// A channel over the radio that is open to somebody.
    private func openOnRadio(to peer: ChannelPeer) -> SecureChannel? {
        radioChannels.first { $0.peer == peer }
    }

    /// All open channels over the radio.
    private var radioChannels: [SecureChannel] {
        (peers.links.open.map(\.channel) + streams.channels + peers.probes.trials).filter {
            $0.traits.range == .radio && $0.channel.isActive
        }
    }

    /// Too many channels on a radio link ended before they had proved themselves. A member's do
    /// when TCP wins the race: what it has proved stays.
    func linkFailed(to address: String) async {
        guard !radioChannels.contains(where: { $0.remote.address == address }) else { return }
        await radio.disconnect(radio.endpoint(address, port: 0))
    }
}
