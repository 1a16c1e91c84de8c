// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import Crypto
import LocalNetworks

/// The local networks in which this device is now, and in which of them it may speak first.
struct LanNetworks: Sendable {
    /// How long a network must have had only link-local addresses before it counts as a cable.
    ///
    /// A network that is about to give this device an address looks like a cable at first
    /// (Decisions/0112-ports-and-networks.md).
    static let cablePatience = Duration.seconds(45)

    /// A network in which this device is.
    struct Joined: Hashable, Sendable {
        let network: LocalNetwork
        /// The identities of the network, the usual one first. Empty while no gateway is known.
        fileprivate(set) var identities: [[UInt8]]
        /// The uptime from which a network with only link-local addresses counts as a cable; nil
        /// for any other network.
        fileprivate var cableFrom: Duration?
        /// The identities with which datagrams are sealed in the network. All hosts of the network
        /// compute the same identities.
        let datagramIdentities: [[UInt8]]
    }

    /// In which networks this device may speak first.
    var use = LanUse.known
    /// The networks now.
    private(set) var joined: [Joined] = []

    /// Replaces the networks.
    ///
    /// - Parameter key: ``KnownNetworks/key``.
    mutating func changed(to networks: [LocalNetwork], key: [UInt8], at uptime: Duration) {
        let (former, key) = (joined, SymmetricKey(data: key))
        joined = networks.map { network in
            let isCable = network.isLinkLocalOnly
            let since = former.first { $0.network.interface == network.interface }?.cableFrom
            let identities = isCable ? [NetworkIdentity.cable(key: key)] : network.identities(key: key)
            return Joined(
                network: network, identities: identities.map(\.bytes),
                cableFrom: isCable ? since ?? uptime + Self.cablePatience : nil,
                datagramIdentities: network.datagramIdentities)
        }
    }

    /// Returns the next time at which a network begins to count as a cable, or nil if none will.
    func deadline(after uptime: Duration) -> Duration? {
        joined.compactMap(\.cableFrom).filter { $0 > uptime }.min()
    }

    /// Returns whether this device may speak first in a network.
    func isOpen(_ joined: Joined, _ known: KnownNetworks, at uptime: Duration) -> Bool {
        switch use {
        case .off: false
        case .always: isSettled(joined, at: uptime)
        case .known:
            isSettled(joined, at: uptime)
                && (joined.cableFrom != nil || joined.identities.contains(where: known.contains))
        }
    }

    /// Returns the networks in which this device may speak first.
    func open(_ known: KnownNetworks, at uptime: Duration) -> Set<Joined> {
        Set(joined.filter { isOpen($0, known, at: uptime) })
    }

    /// Returns the identity under which a network is remembered, or nil if the network cannot be
    /// recognised yet.
    func identity(of joined: Joined, _ known: KnownNetworks, at uptime: Duration) -> [UInt8]? {
        guard isSettled(joined, at: uptime) else { return nil }
        return joined.identities.first(where: known.contains) ?? joined.identities.first
    }

    private func isSettled(_ joined: Joined, at uptime: Duration) -> Bool {
        joined.cableFrom.map { $0 <= uptime } ?? true
    }

    /// Returns the network in which one of this device's addresses reaches another address without
    /// a router, or nil if there is none.
    func network(from local: [UInt8], to remote: [UInt8]) -> Joined? {
        joined.first { $0.network.addresses.contains { $0.bytes == local } && $0.network.contains(remote) }
    }

    /// Returns the network of an interface, or nil if this device is in no network there.
    func network(at interface: UInt32) -> Joined? { joined.first { $0.network.interface == interface } }

    /// The networks in which beacons of other devices are received.
    ///
    /// This device does not speak first in unknown networks, but a member may do so there.
    var heard: [Joined] { use == .off ? [] : joined.filter(\.takesDatagrams) }

    /// Returns whether this device has an address in one of the networks.
    func has(_ local: [UInt8]) -> Bool { joined.contains { $0.network.addresses.contains { $0.bytes == local } } }

    /// Returns the members that can be dialled in the networks in which this device may speak
    /// first, with their places. Only addresses in the network itself count, and this device's own
    /// addresses do not.
    func places(_ known: KnownNetworks, at uptime: Duration) -> [DeviceID: [KnownNetworks.Place]] {
        var found: [DeviceID: [KnownNetworks.Place]] = [:]
        for network in joined where isOpen(network, known, at: uptime) {
            for identity in network.identities {
                for (device, places) in known.places(in: identity) {
                    let new = places.filter { found[device]?.contains($0) != true && isElsewhere($0, in: network) }
                    found[device, default: []] += new
                }
            }
        }
        return found.filter { !$0.value.isEmpty }.mapValues { Array($0.prefix(KnownNetworks.maximumPlaces)) }
    }

    /// Returns whether a place is in a network and belongs to another device.
    func isElsewhere(_ place: KnownNetworks.Place, in joined: Joined) -> Bool {
        joined.network.contains(place.address) && !has(place.address)
    }

    /// Returns the networks, except cables, that can be recognised but in which this device may not
    /// speak first.
    func unknown(_ known: KnownNetworks, at uptime: Duration) -> [Joined] {
        joined.filter { !$0.identities.isEmpty && $0.cableFrom == nil && !isOpen($0, known, at: uptime) }
    }
}
