// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTesting
import BatonTransport
import NIOCore
import SimulatedTransport
import Synchronization

/// The simulated radio with private addresses, as a real adapter hears them.
///
/// Each advertisement comes from another address. While there is a channel to one of a device's
/// addresses, the others do not answer (Decisions/0034-one-link-to-a-device.md).
final class RenamingRadio: RadioProxy {
    private struct State {
        /// The payloads of each device. The number of payloads determines its present address.
        var payloads: [String: [[UInt8]]] = [:]
        /// The address of each device to which channels lead, and the number of these channels.
        var linked: [String: (address: String, channels: Int)] = [:]
        var secondLinks = 0
        /// The addresses that devices have left.
        var left: Set<String> = []
    }

    let radio: any Radio
    private let state = Mutex(State())

    init(_ radio: any Radio) { self.radio = radio }

    /// Returns the address at which a device was heard last.
    func address(of device: String) -> String {
        state.withLock { Self.address(device, $0.payloads[device]?.count ?? 0) }
    }

    /// Returns the address to which the channels to a device lead.
    func linkedAddress(of device: String) -> String? { state.withLock { $0.linked[device]?.address } }

    /// The number of open channels that this radio has dialled.
    private let openChannels = Watched(0)

    /// Waits until no dialled channel is open.
    func channelsEnd() async throws { try await openChannels.wait("the channels' end") { $0 == 0 ? () : nil } }

    /// The number of dials to an address of a device while the link uses another address.
    var secondLinks: Int { state.withLock(\.secondLinks) }

    /// The dialled addresses that devices had left, in order.
    let dialledInVain = Watched<[String]>([])

    /// Makes a device give up all its addresses. The radio then hears the device at a new address.
    func leave(_ device: String) {
        state.withLock { state in
            for number in 0...(state.payloads[device]?.count ?? 0) { state.left.insert(Self.address(device, number)) }
        }
    }

    func events() -> AsyncStream<RadioEvent> {
        let events = radio.events()
        return AsyncStream { continuation in
            let task = Task {
                for await event in events { continuation.yield(self.renamed(event)) }
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    func connect(
        to endpoint: Endpoint, timeout: Duration, initializer: @escaping ChannelInitializer
    ) async throws -> any Channel {
        if state.withLock({ $0.left.contains(endpoint.address) }) {
            dialledInVain.change { $0.append(endpoint.address) }
            // Wait until the dial is cancelled.
            _ = try await dialledInVain.wait("an answer") { _ in nil as Void? }
        }
        let device = Self.device(endpoint.address)
        let isOther = state.withLock { state in
            guard let link = state.linked[device], link.channels > 0, link.address != endpoint.address else {
                return false
            }
            state.secondLinks += 1
            return true
        }
        if isOther { throw TransportError(.unreachable, "there is a link to \(device) by another address") }
        let there = Endpoint(transport: endpoint.transport, address: device, port: endpoint.port)
        let channel = try await radio.connect(to: there, timeout: timeout, initializer: initializer)
        state.withLock { $0.linked[device] = (endpoint.address, ($0.linked[device]?.channels ?? 0) + 1) }
        openChannels.change { $0 += 1 }
        channel.closeFuture.whenComplete { _ in
            self.state.withLock { $0.linked[device]?.channels -= 1 }
            self.openChannels.change { $0 -= 1 }
        }
        return channel
    }

    func disconnect(_ endpoint: Endpoint) async {
        await radio.disconnect(
            Endpoint(transport: endpoint.transport, address: Self.device(endpoint.address), port: endpoint.port))
    }

    private func renamed(_ event: RadioEvent) -> RadioEvent {
        switch event {
        case .sighted(var sighting):
            let number = state.withLock { state in
                if state.payloads[sighting.address]?.last != sighting.payload {
                    state.payloads[sighting.address, default: []].append(sighting.payload)
                }
                return state.payloads[sighting.address]?.count ?? 0
            }
            sighting.address = Self.address(sighting.address, number)
            return .sighted(sighting)
        case .lost(let device): return .lost(address: address(of: device))
        case .status: return event
        }
    }

    private static func address(_ device: String, _ number: Int) -> String { "\(device)~\(number)" }

    private static func device(_ address: String) -> String { String(address.prefix { $0 != "~" }) }
}
