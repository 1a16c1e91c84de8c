// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
public import BatonTransport

/// The transports that a service uses.
public struct Transports: Sendable {
    /// The transport that advertises and scans.
    public let radio: any Radio
    /// The other transports.
    public let others: [any ChannelTransport]

    /// Makes the transports of a service.
    public init(radio: any Radio, others: [any ChannelTransport] = []) {
        self.radio = radio
        self.others = others
    }

    /// All transports, the radio first.
    var all: [any ChannelTransport] { [radio] + others }

    /// The transports that need a network. Hellos state where this device listens on them.
    var networks: [any ChannelTransport] { all.filter { $0.traits.range == .network } }

    /// Returns the transport of a kind, or nil if this device does not use it.
    subscript(kind: TransportKind) -> (any ChannelTransport)? { all.first { $0.kind == kind } }

    /// Returns the range of an endpoint's transport, or nil if this device does not use it.
    func range(of endpoint: Endpoint) -> TransportTraits.Range? { self[endpoint.transport]?.traits.range }

    /// Returns the endpoints from another device's hello that this device can dial.
    func told(_ records: [EndpointRecord]) -> [Endpoint] {
        records.compactMap { record in
            networks.first { $0.kind.rawValue == record.transport }.map {
                Endpoint(transport: $0.kind, address: record.address, port: record.port)
            }
        }
    }
}

extension Radio {
    /// Returns the endpoint of a device that this radio hears at an address.
    func endpoint(_ address: String, port: UInt16) -> Endpoint {
        Endpoint(transport: kind, address: address, port: port)
    }
}

extension Endpoint {
    /// The endpoint record that this device sends to other devices.
    var record: EndpointRecord { EndpointRecord(transport: transport.rawValue, address: address, port: port) }
}
