// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport

/// Whether networks lead to other devices, and them here.
extension HandoffService {
    /// A device that was dialled has proved itself.
    func answered(_ channel: SecureChannel) {
        guard case .member(let device) = channel.peer, channel.traits.range == .network else { return }
        peers.networkFailures.answered(by: device)
        peers.directory.proved(device, at: channel.remote)
    }

    /// A device that dialled this one has proved itself.
    func reached(by channel: SecureChannel) {
        guard case .member(let device) = channel.peer, channel.traits.range == .network else { return }
        peers.networkFailures.reached(by: device)
        peers.directory.proved(device, at: channel.remote)
    }

    /// A device did not answer over a network in time.
    func unanswered(by device: DeviceID, at endpoints: [Endpoint]) {
        let endpoints = endpoints.filter { transports.range(of: $0) == .network }
        guard !endpoints.isEmpty, isMember(device) else { return }
        peers.networkFailures.unanswered(
            by: device, at: endpoints, isNearby: endpoints.contains { transports[$0.transport]?.isNearby($0) == true },
            uptime: clock.uptime)
    }

    /// Streams begin over a network if one leads to the other device (Streams.md). A device that
    /// has a network, and comes by radio, has tried in vain.
    func cameByRadio(_ channel: SecureChannel, from device: DeviceID) {
        guard channel.traits.range == .radio, !reachability.told.isEmpty,
            !peers.directory.toldEndpoints(of: device, at: clock.uptime).isEmpty
        else { return }
        peers.networkFailures.unreached(by: device, uptime: clock.uptime)
    }

    /// The addresses of this device change as networks come and go: they are asked for whenever
    /// they are told.
    func refreshToldEndpoints() async {
        let endpoints = await reachability.listeners.told()
        if endpoints != reachability.told { peers.networkFailures.networkChanged() }
        reachability.told = endpoints
    }
}
