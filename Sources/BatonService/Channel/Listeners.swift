// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport

/// Where this device listens: on the radio, once that is ready, and on TCP.
///
/// What asks a listener stays on its caller's actor: where there is none, nothing is waited for.
struct Listeners: Sendable {
    private(set) var radio: (any Listener)?
    private(set) var tcp: (any Listener)?

    /// Takes in where channels of the radio come in.
    mutating func openedRadio(_ listener: any Listener) { radio = listener }

    /// Takes in where channels over TCP come in.
    mutating func openedTCP(_ listener: any Listener) { tcp = listener }

    /// The PSM that beacons name; 0 while the radio takes no channels.
    func psm(isolation: isolated (any Actor)? = #isolation) async -> UInt8 {
        UInt8(clamping: await radio?.endpoints().first?.port ?? 0)
    }

    /// Where other devices reach this one, the radio first.
    func endpoints(isolation: isolated (any Actor)? = #isolation) async -> [Endpoint] {
        (await radio?.endpoints() ?? []) + (await tcp?.endpoints() ?? [])
    }

    /// What other devices are told of TCP.
    func tcpRecords(isolation: isolated (any Actor)? = #isolation) async -> [EndpointRecord] {
        (await tcp?.endpoints() ?? []).prefix(Hello.maximumEndpoints).map(\.record)
    }

    /// Takes no more channels.
    func close(isolation: isolated (any Actor)? = #isolation) async {
        await radio?.close()
        await tcp?.close()
    }
}
