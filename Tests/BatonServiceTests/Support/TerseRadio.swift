// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport
import NIOCore
import SimulatedTransport

/// The simulated radio as BlueZ is: it tells of an advertisement once, and again only when that has
/// changed.
final class TerseRadio: Radio {
    private let radio: SimulatedRadio

    init(_ radio: SimulatedRadio) { self.radio = radio }

    var kind: TransportKind { radio.kind }

    func events() -> AsyncStream<RadioEvent> {
        let events = radio.events()
        return AsyncStream { continuation in
            let task = Task {
                var told: [String: [UInt8]] = [:]
                for await event in events {
                    switch event {
                    case .sighted(let sighting):
                        if told.updateValue(sighting.payload, forKey: sighting.address) == sighting.payload { continue }
                    case .lost(let address): told[address] = nil
                    case .status: break
                    }
                    continuation.yield(event)
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    func connect(
        to endpoint: Endpoint, timeout: Duration, initializer: @escaping ChannelInitializer
    ) async throws -> any Channel {
        try await radio.connect(to: endpoint, timeout: timeout, initializer: initializer)
    }

    func listen(initializer: @escaping AcceptedChannelInitializer) async throws -> any Listener {
        try await radio.listen(initializer: initializer)
    }

    func disconnect(_ endpoint: Endpoint) async { await radio.disconnect(endpoint) }
    func scan(_ listening: Listening) async { await radio.scan(listening) }
    func advertise(_ payload: [UInt8]?) async throws { try await radio.advertise(payload) }
    func start() async throws { try await radio.start() }
    func stop() async { await radio.stop() }
}
