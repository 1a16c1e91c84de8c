// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
public import BatonTransport

/// The ways to other devices that a service uses.
public struct Transports: Sendable {
    /// The transport that advertises and hears.
    public let radio: any Radio
    /// Those that are used beside it.
    public let others: [any ChannelTransport]

    /// The transports of a service.
    public init(radio: any Radio, others: [any ChannelTransport] = []) {
        self.radio = radio
        self.others = others
    }

    /// All of them, the radio first.
    var all: [any ChannelTransport] { [radio] + others }

    /// Those that need a network. Hellos tell other devices where this one listens on them.
    var networks: [any ChannelTransport] { all.filter { $0.traits.range == .network } }

    /// The transport of a kind.
    subscript(kind: TransportKind) -> (any ChannelTransport)? { all.first { $0.kind == kind } }

    /// What the transport of an endpoint reaches; nil if this device does not use it.
    func range(of endpoint: Endpoint) -> TransportTraits.Range? { self[endpoint.transport]?.traits.range }

    /// The endpoints that a device told, as far as one of the networks dials them.
    func told(_ records: [EndpointRecord]) -> [Endpoint] {
        records.compactMap { record in
            networks.first { $0.kind.rawValue == record.transport }.map {
                Endpoint(transport: $0.kind, address: record.address, port: record.port)
            }
        }
    }
}

extension Radio {
    /// Where a device is dialled that this radio hears.
    func endpoint(_ address: String, port: UInt16) -> Endpoint {
        Endpoint(transport: kind, address: address, port: port)
    }
}

extension Endpoint {
    /// What other devices are told of it.
    var record: EndpointRecord { EndpointRecord(transport: transport.rawValue, address: address, port: port) }
}
