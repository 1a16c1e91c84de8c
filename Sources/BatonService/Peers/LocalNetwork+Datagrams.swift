// SPDX-License-Identifier: Apache-2.0

import Crypto
import LocalDatagrams
import LocalNetworks

extension LocalNetwork {
    /// The key with which the identities in datagrams are computed. This key may be public, because
    /// the seal of a datagram has a secret key of its own (Datagram.md, "The network").
    private static let datagramKey = SymmetricKey(data: Array("Baton datagram 1".utf8))
    /// The maximum number of identities of one network with which this device tries to open a
    /// datagram.
    static let maximumDatagramIdentities = 4

    /// The identities with which datagrams in the network are sealed. The identities of IPv4
    /// gateways come first.
    var datagramIdentities: [[UInt8]] {
        if isLinkLocalOnly { return [NetworkIdentity.cable(key: Self.datagramKey).bytes] }
        return identities(key: Self.datagramKey).prefix(Self.maximumDatagramIdentities).map(\.bytes)
    }

    /// Returns the identity with which this device seals datagrams that it sends by an IP version.
    /// The gateway of that identity has the same IP version, if possible, because a host may use
    /// only one version.
    func datagramIdentity(for family: AddressFamily) -> [UInt8]? {
        let same = gateways.filter { $0.address.count == family.addressLength && $0.linkLayerAddress != nil }
        let network = LocalNetwork(
            interface: interface, name: name, hasBroadcast: hasBroadcast, addresses: addresses,
            hasDefaultRoute: hasDefaultRoute, gateways: same.isEmpty ? gateways : same)
        return network.datagramIdentities.first
    }
}
