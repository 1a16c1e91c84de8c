// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport
import HostAddresses
import LocalDatagrams
import LocalNetworks

/// Seals, sends and opens the datagrams of local networks (Documentation/Protocol/Datagram.md).
///
/// A datagram may be a beacon, a hail to this device, or the beacon of a member whose clock differs
/// much from this device's clock.
struct LanDatagrams: Sendable {
    /// A datagram of a member.
    struct Found: Sendable {
        let device: DeviceID
        /// The port at which the member listens.
        let port: UInt16
        let source: [UInt8]
        let interface: UInt32
        /// Whether the datagram opened only at another time, so that it may be a copy from
        /// yesterday.
        var isOld = false
    }

    private let carrier: (any DatagramCarrier)?
    private var hails = HailListener(.datagram)
    private var clocks = ClockSearch(.datagram)
    /// The networks in which datagrams are received.
    private var networks: [LocalNetwork] = []

    /// - Parameter carrier: Sends and receives the datagrams; nil if this device uses none.
    init(_ carrier: (any DatagramCarrier)?) { self.carrier = carrier }

    /// Whether the kernel does not let this program receive datagrams.
    var isRefused: Bool { carrier?.isRefused == true }

    /// The number of entries in each table, by name.
    var counts: [String: Int] {
        ["unopenedDatagrams": clocks.unopened.count, "datagramHailsTried": hails.remembered]
    }

    /// Returns when ``search(_:at:)`` is due, or nil if it is not.
    func deadline(_ state: DeviceState, at now: BeaconAdvertiser.Moment) -> Duration? {
        networks.isEmpty ? nil : clocks.nextDeadline(at: now.unixTime, notBefore: state.notBefore)
    }

    /// Updates the keys with which hails, and beacons of other times, are opened.
    mutating func keysChanged(_ secret: CircleSecret?, pairwise: [DeviceID: PairwiseKey]) {
        hails.keysChanged(pairwise)
        clocks.keysChanged(secret, pairwise: pairwise)
    }

    /// Changes the networks in which datagrams are received.
    ///
    /// - Returns: Whether they are others than before.
    mutating func receive(in networks: [LocalNetwork]) -> Bool {
        guard networks != self.networks else { return false }
        self.networks = networks
        // Forget the datagrams that were heard in other networks. Such datagrams must not cause
        // dials in these networks.
        clocks.forgetAll()
        carrier?.listen(in: networks)
        return true
    }

    /// Receives nothing from now on.
    func stop() { carrier?.listen(in: []) }

    /// Sends this device's beacon into a network, and hails to members.
    mutating func send(
        _ beacon: Beacon, hailing devices: [DeviceID], into network: LocalNetwork, _ keys: inout BeaconKeys,
        at unixTime: Int64
    ) {
        for family in AddressFamily.allCases {
            guard let identity = network.datagramIdentity(for: family) else { continue }
            var datagrams = [keys.sealDatagram(beacon, at: unixTime, in: identity)]
            for device in devices { datagrams.append(hails.seal(beacon, to: device, at: unixTime, in: identity)) }
            for datagram in datagrams.compactMap(\.self) {
                carrier?.send(datagram, by: family, in: network.interface)
            }
        }
    }

    /// Opens a datagram that came from a host of a network.
    ///
    /// - Parameter open: Opens a beacon with the circle's secret. The network's identity follows
    ///   the datagram.
    mutating func received(
        _ datagram: ReceivedDatagram, in network: LanNetworks.Joined, _ state: DeviceState,
        at now: BeaconAdvertiser.Moment, open: ([UInt8]) -> OpenedBeacon?
    ) -> Found? {
        guard datagram.bytes.count == BeaconForm.datagram.byteCount else { return nil }
        let sealed = network.datagramIdentities.map { datagram.bytes + $0 }
        for each in sealed {
            guard let beacon = open(each)?.beacon else { continue }
            return state.member(short: beacon.device).map { Self.found($0, beacon.port, datagram) }
        }
        for each in sealed {
            guard let (device, beacon) = hails.received(each, at: now.unixTime, uptime: now.uptime) else { continue }
            return Self.found(device, beacon.port, datagram)
        }
        for (index, each) in sealed.enumerated() { clocks.heard(each, at: DatagramSource(datagram, index).text) }
        return search(state, at: now)
    }

    /// Searches the unopened datagrams for members whose clocks are wrong.
    mutating func search(_ state: DeviceState, at now: BeaconAdvertiser.Moment) -> Found? {
        guard !networks.isEmpty,
            let hit = clocks.step(at: now.unixTime, uptime: now.uptime, notBefore: state.notBefore),
            let device = state.member(short: hit.device), let source = DatagramSource(hit.address)
        else { return nil }
        var found = Self.found(device, hit.port, source.datagram)
        found.isOld = true
        return found
    }

    /// Begins a search again that has ended.
    mutating func searchAgain(_ state: DeviceState, at now: BeaconAdvertiser.Moment) -> Found? {
        clocks.beginAgain()
        return search(state, at: now)
    }

    private static func found(_ device: DeviceID, _ port: UInt16, _ datagram: ReceivedDatagram) -> Found {
        Found(device: device, port: port, source: datagram.source, interface: datagram.interface)
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
