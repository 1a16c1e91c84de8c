// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport

/// Records whether networks lead from this device to other devices, and back.
extension HandoffService {
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

    /// Updates the endpoints that hellos state. The endpoints change as networks come and go, so
    /// this function runs before a hello is sent.
    func refreshToldEndpoints() {
        let endpoints = reachability.listeners.told
        if endpoints != reachability.told { peers.changeAll { $0.networkFailures = NetworkFailures() } }
        reachability.told = endpoints
    }
}
