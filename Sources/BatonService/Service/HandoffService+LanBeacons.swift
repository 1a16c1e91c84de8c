// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport
import HostAddresses
import LocalDatagrams
import LocalNetworks
import Logging
import TraceModel

/// Finds members in local networks by beacons (Documentation/Protocol/Datagram.md). ``LanBeacons``
/// decides when to send and whom to dial.
extension HandoffService {
    /// The greatest number of hails that are sent with a beacon.
    static let maximumDatagramHails = 8

    /// Updates the beacons after a change of the networks, the links or the circle.
    func lanBeaconsChanged() {
        let (lan, now) = (reachability.lan, clock.uptime)
        let isSilent = lan.isMuted || circle == nil || lifecycle.isStopping
        reachability.beacons.missingChanged(to: others.subtracting(lan.linkedDevices), at: now)
        listen(in: isSilent ? [] : lan.networks.heard.map(\.network))
        let open = isSilent ? [] : lan.networks.open(store.state.networks, at: now)
        carryOut(reachability.beacons.networksChanged(to: open, at: now))
    }

    /// Changes the networks in which datagrams are received. The sockets must be open before
    /// anything is sent.
    private func listen(in networks: [LocalNetwork]) {
        guard networks != reachability.heardNetworks else { return }
        reachability.heardNetworks = networks
        // Forget the datagrams that were heard in other networks. Such datagrams must not cause
        // dials in these networks.
        sightings.datagramClocks.forgetAll()
        schedule(.datagramClocks, at: nil)
        searchClocksAgain()
        environment.datagrams?.listen(in: networks)
    }

    func lanBeaconTimePassed() { carryOut(reachability.beacons.timePassed(at: clock.uptime)) }

    func lanLooked() { carryOut(reachability.beacons.looked(at: clock.uptime)) }

    func sendLanBeaconsForActivity() {
        carryOut(reachability.beacons.activityBecameCurrent(at: clock.uptime))
    }

    func lanBeaconsLinked(_ link: PeerLink) {
        guard let network = reachability.lan.network(of: link.number) else { return }
        reachability.beacons.linked(link.device, in: network, at: clock.uptime)
        lanBeaconsChanged()
    }

    /// Updates the keys with which datagrams are opened. The circle's secret is in
    /// ``Advertising/keys``.
    func datagramKeysChanged(_ circle: Circle?) {
        sightings.datagramHails.keysChanged(keyring.keys)
        sightings.datagramClocks.keysChanged(circle?.secret, pairwise: keyring.keys)
        lanBeaconsChanged()
    }

    private func carryOut(_ actions: [LanBeacons.Action]) {
        for action in actions {
            switch action {
            case .send(let interface, let hails): send(hails, into: interface)
            case .dial(let device, let place, let interface): dial(device, at: place, in: interface)
            }
        }
        schedule(.lanBeacons, at: reachability.beacons.deadline)
    }

    // MARK: - Sending

    private func send(_ hails: LanBeacons.Hails, into interface: UInt32) {
        guard let port = reachability.listeners.networkPort, !lifecycle.isStopping, !reachability.lan.isMuted,
            let network = reachability.lan.networks.network(at: interface)?.network
        else { return }
        trace.record(.connections, "beacon sent")
        for family in AddressFamily.allCases {
            guard let identity = network.datagramIdentity(for: family) else { continue }
            for datagram in datagrams(hails, Beacon(device: self.identity.id.short, port: port), in: identity) {
                environment.datagrams?.send(datagram, by: family, in: interface)
            }
        }
    }

    /// Returns this device's beacon and hails, sealed for a network.
    private func datagrams(_ hails: LanBeacons.Hails, _ beacon: Beacon, in network: [UInt8]) -> [[UInt8]] {
        let own = advertising.keys.sealDatagram(beacon, at: clock.unixTime, in: network)
        return [own].compactMap(\.self)
            + members(hailedWith: hails).compactMap {
                sightings.datagramHails.seal(beacon, to: $0, at: clock.unixTime, in: network)
            }
    }

    /// Returns the members that are hailed together with a beacon. Those that may not know the
    /// circle come first.
    private func members(hailedWith hails: LanBeacons.Hails) -> [DeviceID] {
        let missing = others.subtracting(reachability.lan.linkedDevices)
        let due = hailed.intersection(missing)
        let more: Set<DeviceID> =
            switch hails {
            case .due: []
            case .also(let device): [device]
            case .all: missing
            }
        return Array((due.sorted() + more.subtracting(due).sorted()).prefix(Self.maximumDatagramHails))
    }

    // MARK: - Receiving

    /// Handles a datagram from a host of a local network.
    func received(_ datagram: ReceivedDatagram) {
        let networks = reachability.lan.networks
        guard !lifecycle.isStopping, !reachability.lan.isMuted, circle != nil,
            let joined = networks.heard.first(where: { $0.network.interface == datagram.interface }),
            datagram.bytes.count == BeaconForm.datagram.byteCount
        else { return }
        let sealed = joined.datagramIdentities.map { datagram.bytes + $0 }
        for each in sealed {
            guard let beacon = open(each, at: moment)?.beacon else { continue }
            guard let device = member(short: beacon.device) else { return }
            return found(device, beacon.port, datagram)
        }
        for each in sealed {
            guard
                let (device, beacon) = sightings.datagramHails.received(
                    each, at: clock.unixTime, uptime: clock.uptime)
            else { continue }
            return found(device, beacon.port, datagram)
        }
        for (index, each) in sealed.enumerated() {
            sightings.datagramClocks.heard(each, at: DatagramSource(datagram, index).text)
        }
        searchDatagramClocks()
    }

    /// Searches the unopened datagrams for devices whose clocks are wrong.
    func searchDatagramClocks() {
        guard !lifecycle.isStopping, !reachability.heardNetworks.isEmpty else { return }
        let hit = sightings.datagramClocks.step(at: clock.unixTime, uptime: clock.uptime, notBefore: notBefore)
        if let hit, let device = member(short: hit.device), let source = DatagramSource(hit.address) {
            found(device, hit.port, source.datagram, isOld: true)
        }
        let deadline = sightings.datagramClocks.nextDeadline(at: clock.unixTime, notBefore: notBefore)
        schedule(.datagramClocks, at: deadline)
    }

    /// Handles the beacon or hail of a member. A replay is possible, so the datagram proves little.
    private func found(_ device: DeviceID, _ port: UInt16, _ datagram: ReceivedDatagram, isOld: Bool = false) {
        guard device != identity.id, isMember(device), !reachability.lan.networks.has(datagram.source) else { return }
        trace.record(.connections, "beacon heard", [traced(device)])
        let isLinked = reachability.lan.isLinked(device, at: datagram.source)
        carryOut(
            reachability.beacons.heard(
                device, at: KnownNetworks.Place(address: datagram.source, port: port), in: datagram.interface,
                isLinked: isLinked, isOld: isOld, at: clock.uptime))
    }

    private func dial(_ device: DeviceID, at place: KnownNetworks.Place, in interface: UInt32) {
        guard let network = reachability.lan.networks.network(at: interface)?.network, network.contains(place.address),
            let endpoint = endpoint(at: place, in: network)
        else { return }
        logger.debug("\(device) sends its beacon into this network")
        background.begin { [logger] in
            do {
                _ = try await self.link(to: device, by: .at(endpoint))
            } catch {
                logger.debug("\(device) does not answer at the source of its beacon: \(error)")
            }
        }
    }
}

/// The source of a datagram that waits for the search for clocks, as text.
private struct DatagramSource {
    let datagram: ReceivedDatagram
    private let index: Int

    /// - Parameter index: The place of the identity with which the datagram may open.
    init(_ datagram: ReceivedDatagram, _ index: Int) { (self.datagram, self.index) = (datagram, index) }

    init?(_ text: String) {
        let parts = text.split(separator: " ")
        guard parts.count == 4, let interface = UInt32(parts[0]), let index = Int(parts[1]),
            let source = HostAddress.parsing(String(parts[2]))
        else { return nil }
        (datagram, self.index) = (ReceivedDatagram(bytes: [], source: source.bytes, interface: interface), index)
    }

    var text: String {
        // The tag distinguishes several datagrams that a device sends from one address.
        let tag = datagram.bytes.dropFirst().prefix(8).map { String($0, radix: 16) }.joined(separator: ".")
        return "\(datagram.interface) \(index) \(HostAddress(bytes: datagram.source).text ?? "") \(tag)"
    }
}
