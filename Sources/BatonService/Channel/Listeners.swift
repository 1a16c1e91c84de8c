// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport

/// The listeners of this device's transports.
///
/// The asynchronous calls stay on their caller's actor. If there is no listener, these calls do not
/// suspend.
struct Listeners: Sendable {
    private struct Door: Sendable {
        let traits: TransportTraits
        let listener: any Listener
    }

    /// The listeners. The radios' listeners come first.
    private var doors: [Door] = []

    /// Returns the listener of a transport, or nil if the transport does not listen.
    subscript(kind: TransportKind) -> (any Listener)? { doors.first { $0.traits.kind == kind }?.listener }

    /// Adds the listener of a transport.
    mutating func opened(_ listener: any Listener, on traits: TransportTraits) {
        doors.insert(Door(traits: traits, listener: listener), at: traits.range == .radio ? 0 : doors.count)
    }

    /// Returns the PSM that beacons state; 0 while no radio accepts channels.
    func psm(isolation: isolated (any Actor)? = #isolation) async -> UInt8 {
        UInt8(clamping: await endpoints(in: .radio).first?.port ?? 0)
    }

    /// The port at which this device listens in networks, or nil if it does not.
    var networkPort: UInt16? {
        doors.filter { $0.traits.range == .network }.compactMap(\.listener.networkPort).first
    }

    /// Returns the endpoints at which other devices reach this device, radio endpoints first.
    func endpoints(isolation: isolated (any Actor)? = #isolation) async -> [Endpoint] {
        await endpoints(in: .radio) + endpoints(in: .network)
    }

    /// The endpoint records that hellos state.
    var told: [EndpointRecord] {
        doors.flatMap(\.listener.networkEndpoints).prefix(Hello.maximumEndpoints).map(\.record)
    }

    /// Closes all listeners.
    func close(isolation: isolated (any Actor)? = #isolation) async {
        for door in doors { await door.listener.close() }
    }

    private func endpoints(
        in range: TransportTraits.Range, isolation: isolated (any Actor)? = #isolation
    ) async -> [Endpoint] {
        var found: [Endpoint] = []
        for door in doors where door.traits.range == range { found += await door.listener.endpoints() }
        return found
    }
}
