// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport
import TraceModel

/// The service's words for traces (`Documentation/Trace.md`).
extension HandoffService {
    /// Another device.
    func traced(_ device: DeviceID) -> TraceField { .device(device.description, name: name(of: device)) }

    /// Who is at the other end of a channel.
    func traced(_ peer: ChannelPeer) -> [TraceField] {
        if case .member(let device) = peer { [traced(device)] } else { [] }
    }

    /// That a device was heard.
    func traced(_ sighting: Sighting, from device: DeviceID) -> [TraceField] {
        let signal = sighting.signal.map { [TraceField.plain("signal", "\($0)")] } ?? []
        return [traced(device), .address(sighting.address)] + signal
    }

    /// An offer, and what is known of it.
    func traced(_ offer: Offer) -> [TraceField] {
        [.offer(offer.id)] + (member(short: offer.device).map { [traced($0)] } ?? [])
            + [.type(offer.type), .title(offer.title)]
    }
}

extension TraceRecorder {
    /// Traces something that lasts, and how it ended.
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
    /// Why something failed.
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

    /// Over what, and where to.
    static func endpoint(_ endpoint: Endpoint) -> [TraceField] {
        [.plain("transport", endpoint.transport.rawValue), .address(endpoint.address)]
    }
}
