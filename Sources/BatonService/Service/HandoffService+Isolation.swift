// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport
import HostAddresses
import LocalDatagrams
import LocalNetworks

/// Notices networks that keep their hosts apart, as access points with client isolation do
/// (Decisions/0126-networks-that-keep-laptops-apart.md).
extension HandoffService {
    /// Records whether a network of this device blocks all traffic to another device that did not
    /// answer over TCP.
    func judgeIsolation(of device: DeviceID) {
        guard let silent = silentEndpoints(of: device), !silent.isEmpty else { return }
        let isLinkedByRadio = peers.links.to(device).contains { $0.traits.range == .radio }
        peers[device].networkFailures.isolated(at: silent, isLinkedByRadio: isLinkedByRadio, uptime: clock.uptime)
    }

    /// Returns the endpoints of a device's hello that are in networks of this device and did not
    /// answer the kernel at the link layer. Returns nil if one of them answered, or if the kernel
    /// has not asked.
    private func silentEndpoints(of device: DeviceID) -> [Endpoint]? {
        guard let carrier = environment.datagrams else { return nil }
        let networks = lan.networks
        var silent: [Endpoint] = []
        for endpoint in peers[device].addresses.told(at: clock.uptime) where transports.range(of: endpoint) == .network
        {
            guard let address = HostAddress.parsing(String(endpoint.address.prefix { $0 != "%" }))?.bytes,
                !networks.has(address),
                let network = networks.joined.map(\.network).first(where: { $0.contains(address) })
            else { continue }
            guard carrier.answer(of: address, on: network.interface) == .silent else { return nil }
            silent.append(endpoint)
        }
        return silent
    }
}
