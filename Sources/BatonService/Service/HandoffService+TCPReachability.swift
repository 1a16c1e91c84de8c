// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport

/// Whether TCP leads to other devices, and them here.
extension HandoffService {
    /// A device that was dialled has proved itself.
    func answered(_ channel: SecureChannel) {
        guard case .member(let device) = channel.peer, channel.transport == tcp?.kind else { return }
        peers.tcpFailures.answered(by: device)
        peers.directory.proved(device, at: channel.remote)
    }

    /// A device that dialled this one has proved itself.
    func reached(by channel: SecureChannel) {
        guard case .member(let device) = channel.peer, channel.transport == tcp?.kind else { return }
        peers.tcpFailures.reached(by: device)
        peers.directory.proved(device, at: channel.remote)
    }

    /// A device did not answer by TCP in time.
    func unanswered(by device: DeviceID, at endpoints: [Endpoint]) {
        let endpoints = endpoints.filter { $0.transport == tcp?.kind }
        guard let tcp, !endpoints.isEmpty, isMember(device) else { return }
        peers.tcpFailures.unanswered(
            by: device, at: endpoints, isNearby: endpoints.contains(where: tcp.isNearby), uptime: clock.uptime)
    }

    /// Streams begin by TCP where that leads to the other device (Streams.md): one that has TCP,
    /// and comes by radio, has tried in vain.
    func cameByRadio(_ channel: SecureChannel, from device: DeviceID) {
        guard channel.transport == radio.kind, !reachability.tcpEndpoints.isEmpty,
            !peers.directory.toldEndpoints(of: device, at: clock.uptime).isEmpty
        else { return }
        peers.tcpFailures.unreached(by: device, uptime: clock.uptime)
    }

    /// The addresses of this device change as networks come and go: they are asked for whenever
    /// they are told.
    func refreshTCPEndpoints() async {
        let endpoints = await reachability.listeners.tcpRecords()
        if endpoints != reachability.tcpEndpoints { peers.tcpFailures.networkChanged() }
        reachability.tcpEndpoints = endpoints
    }
}
