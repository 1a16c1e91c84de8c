// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport

/// Where this device listens.
///
/// What asks a listener stays on its caller's actor: where there is none, nothing is waited for.
struct Listeners: Sendable {
    private struct Door: Sendable {
        let traits: TransportTraits
        let listener: any Listener
    }

    /// Those of radios come first.
    private var doors: [Door] = []

    /// The listener of a transport.
    subscript(kind: TransportKind) -> (any Listener)? { doors.first { $0.traits.kind == kind }?.listener }

    /// Takes in where channels of a transport come in.
    mutating func opened(_ listener: any Listener, on traits: TransportTraits) {
        doors.insert(Door(traits: traits, listener: listener), at: traits.range == .radio ? 0 : doors.count)
    }

    /// The PSM that beacons name; 0 while no radio takes channels.
    func psm(isolation: isolated (any Actor)? = #isolation) async -> UInt8 {
        UInt8(clamping: await endpoints(in: .radio).first?.port ?? 0)
    }

    /// Where other devices reach this one, by radio first.
    func endpoints(isolation: isolated (any Actor)? = #isolation) async -> [Endpoint] {
        await endpoints(in: .radio) + endpoints(in: .network)
    }

    /// Where hellos say that this device listens.
    func told(isolation: isolated (any Actor)? = #isolation) async -> [EndpointRecord] {
        await endpoints(in: .network).prefix(Hello.maximumEndpoints).map(\.record)
    }

    /// Takes no more channels.
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
