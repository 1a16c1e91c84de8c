// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport
import TraceModel

/// Traces in the service's terms (`Documentation/Trace.md`).
extension HandoffService {
    /// Returns the field for another device.
    func traced(_ device: DeviceID) -> TraceField { .device(device.description, name: name(of: device)) }

    /// Returns the fields for the peer of a channel.
    func traced(_ peer: ChannelPeer) -> [TraceField] {
        if case .member(let device) = peer { [traced(device)] } else { [] }
    }

    /// Returns the fields for an advertisement that was heard from a device.
    func traced(_ sighting: Sighting, from device: DeviceID) -> [TraceField] {
        let signal = sighting.signal.map { [TraceField.plain("signal", "\($0)")] } ?? []
        return [traced(device), .address(sighting.address)] + signal
    }

    /// Returns the fields for an offer and its known type and title.
    func traced(_ offer: Offer) -> [TraceField] {
        [.offer(offer.id)] + (member(short: offer.device).map { [traced($0)] } ?? [])
            + [.type(offer.type), .title(offer.title)]
    }
}

extension TraceRecorder {
    /// Traces the beginning and the end of an operation, with its error if it throws.
    func spanning<Success: Sendable>(
        _ lane: TraceLine.Lane, _ event: String, _ fields: [TraceField], _ body: @Sendable () async throws -> Success
    ) async throws -> Success {
        let span = begin(lane, event, fields)
        do {
            let value = try await body()
            end(span, lane, event, fields)
            return value
        } catch {
            end(span, lane, event, fields + [TraceField(error)])
            throw error
        }
    }
}

extension TraceField {
    /// Makes the field for an error.
    init(_ error: any Error) {
        self =
            switch error {
            case let error as HandoffError: .failure("\(error.code)", detail: error.cause ?? error.message)
            case let error as BatonError: .failure("\(error.code)", detail: error.message)
            case let error as TransportError: .failure("\(error.code)", detail: "\(error)")
            case is CancellationError: .failure("cancelled", detail: "")
            default: .failure("\(error)", detail: "")
            }
    }

    /// Returns the fields for an endpoint: its transport and its address.
    static func endpoint(_ endpoint: Endpoint) -> [TraceField] {
        [.plain("transport", endpoint.transport.rawValue), .address(endpoint.address)]
    }
}
