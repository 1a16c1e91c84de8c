// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The parts of the kernel's tables that determine the networks.
struct NetworkTable {
    private struct Interface {
        var link: LinkRecord
        var addresses: [LocalNetwork.Address] = []
        var routes: [(metric: UInt32, gateway: [UInt8]?)] = []
    }

    private var interfaces: [UInt32: Interface] = [:]
    private var linkLayerAddresses: [NetworkHost: [UInt8]] = [:]

    /// The maximum number of interfaces to read. A machine with very many containers has some
    /// hundreds.
    static let maximumInterfaces = 1_024
    /// The maximum number of addresses to read for an interface.
    static let maximumAddresses = 64
    /// The maximum number of gateways to report for an interface.
    static let maximumGateways = 4
    /// The maximum number of interfaces in a chain that is searched for hardware.
    ///
    /// For example, a VLAN on a bridge on a bond is a chain of three.
    static let maximumLayers = 4

    mutating func add(_ link: LinkRecord) {
        guard interfaces.count < Self.maximumInterfaces else { return }
        interfaces[link.index] = Interface(link: link)
    }

    mutating func add(_ address: AddressRecord) {
        guard let count = interfaces[address.index]?.addresses.count, count < Self.maximumAddresses else { return }
        interfaces[address.index]?.addresses.append(address.address)
    }

    mutating func add(_ route: DefaultRouteRecord) {
        for hop in route.hops { interfaces[hop.index]?.routes.append((route.metric, hop.gateway)) }
    }

    mutating func add(_ neighbour: NeighbourRecord) {
        linkLayerAddresses[neighbour.host] = neighbour.linkLayerAddress
    }

    var gateways: [NetworkHost] {
        networks.flatMap { network in
            network.gateways.map { NetworkHost(index: network.interface, address: $0.address) }
        }
    }

    /// The gateways of all networks whose link-layer addresses are unknown.
    var unknownGateways: Set<NetworkHost> { Set(gateways.filter { linkLayerAddresses[$0] == nil }) }

    /// The networks, in the order of the kernel's interface numbers.
    var networks: [LocalNetwork] {
        let isContainer = !interfaces.values.contains { $0.link.hasDevice }
        return interfaces.values.sorted { $0.link.index < $1.link.index }
            .filter { isPhysical($0.link, isContainer) }.compactMap(network)
    }

    private func network(_ interface: Interface) -> LocalNetwork? {
        let link = interface.link
        let running = UInt32(IFF_UP) | UInt32(IFF_RUNNING)
        guard link.isEthernet, link.flags & running == running, link.flags & UInt32(IFF_LOOPBACK) == 0,
            !interface.addresses.isEmpty
        else { return nil }
        return LocalNetwork(
            interface: link.index, name: link.name,
            hasBroadcast: link.flags & UInt32(IFF_BROADCAST) != 0, addresses: interface.addresses,
            hasDefaultRoute: !interface.routes.isEmpty, gateways: gateways(of: interface))
    }

    private func gateways(of interface: Interface) -> [LocalNetwork.Gateway] {
        var seen: Set<[UInt8]> = []
        let best = interface.routes.compactMap { route in route.gateway.map { (route.metric, $0) } }
            .sorted { left, right in
                guard left.1.count == right.1.count else { return left.1.count < right.1.count }
                return left.0 == right.0 ? left.1.lexicographicallyPrecedes(right.1) : left.0 < right.0
            }
            .map(\.1).filter { seen.insert($0).inserted }
        return best.prefix(Self.maximumGateways).map { address in
            // A gateway outside the interface's networks counts as a separate network.
            let prefix = interface.addresses.filter { $0.isNeighbour(of: address) }.map(\.prefixLength).max()
            return LocalNetwork.Gateway(
                address: address, prefixLength: prefix ?? 8 * address.count,
                linkLayerAddress: linkLayerAddresses[NetworkHost(index: interface.link.index, address: address)])
        }
    }

    /// Returns whether there is hardware behind an interface.
    ///
    /// - Parameter isContainer: Whether no interface has hardware, as in a container. A container's
    ///   network card is a `veth` interface whose other end is in another namespace.
    private func isPhysical(_ link: LinkRecord, _ isContainer: Bool) -> Bool {
        hasHardware(link, layers: Self.maximumLayers)
            || (isContainer && link.kind == "veth" && link.isLowerElsewhere)
    }

    /// Returns whether an interface is hardware, or is built on interfaces that include hardware.
    private func hasHardware(_ link: LinkRecord, layers: Int) -> Bool {
        if link.hasDevice { return true }
        guard layers > 0 else { return false }
        switch link.kind {
        case "bridge", "bond", "team":
            return interfaces.values.contains {
                $0.link.master == link.index && hasHardware($0.link, layers: layers - 1)
            }
        case "vlan", "macvlan":
            guard !link.isLowerElsewhere, let lower = link.lower.flatMap({ interfaces[$0]?.link }) else { return false }
            return hasHardware(lower, layers: layers - 1)
        default: return false
        }
    }

    /// Returns how often an interface has lost or found its carrier, or nil if the interface does
    /// not exist.
    func carrierChanges(of index: UInt32) -> UInt32? { interfaces[index]?.link.carrierChanges }

    /// Returns the link-layer address of a host, or nil if it is unknown.
    func linkLayerAddress(of host: NetworkHost) -> [UInt8]? { linkLayerAddresses[host] }
}
