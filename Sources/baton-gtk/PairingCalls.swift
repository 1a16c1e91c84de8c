// SPDX-License-Identifier: Apache-2.0

import BatonBus
import WindowModel

/// The calls of one pairing. They have a connection of their own, because the daemon ends a pairing
/// when the connection that began it closes.
@MainActor
final class PairingCalls {
    /// How long a code's pairing may take. The daemon's own limit is shorter, and its error says
    /// more.
    private static let patience = Duration.seconds(630)

    private var task: Task<Void, Never>?
    private var bus: BatonBusClient?
    /// The number of the present pairing. Answers of earlier pairings are dropped.
    private var number = 0

    /// Carries out a request if it is about pairing.
    ///
    /// - Parameter tell: Called with the result.
    /// - Returns: Whether the request is about pairing.
    func take(_ request: BusRequest, _ tell: @escaping @MainActor (WindowEvent) -> Void) -> Bool {
        switch request {
        case .pair, .showCode, .join: begin(request, tell)
        case .confirm(let pairing, let same): confirm(pairing, same: same)
        case .endPairing: end()
        default: return false
        }
        return true
    }

    private func end() {
        number += 1
        task?.cancel()
        bus?.close()
        (task, bus) = (nil, nil)
    }

    private func begin(_ request: BusRequest, _ tell: @escaping @MainActor (WindowEvent) -> Void) {
        end()
        let number = number
        task = Task { [weak self] in
            do {
                let bus = try await BatonBusClient.connect()
                guard let self, self.number == number else { return bus.close() }
                self.bus = bus
                try await Self.run(request, bus) { if self.number == number { tell(.answered(request, $0)) } }
            } catch {
                if self?.number == number { tell(.failed(request, BatonError(anyError: error))) }
            }
        }
    }

    private static func run(_ request: BusRequest, _ bus: BatonBusClient, _ tell: (BusAnswer) -> Void) async throws {
        switch request {
        case .pair(let address, let isComingBack):
            let digits = try await bus.pair(address: address, anew: isComingBack)
            tell(.digits(digits))
            tell(.circle(try await bus.paired(digits.pairing)))
        case .showCode:
            let code = try await bus.pairByCode()
            tell(.code(code))
            tell(.circle(try await bus.paired(code.pairing, timeout: patience)))
        case .join(let code): tell(.circle(try await bus.joinCircle(invitation: code)))
        default: break
        }
    }

    private func confirm(_ pairing: String, same: Bool) {
        // The call that waits for the pairing's end reports the result.
        Task { [bus] in try? await bus?.confirm(pairing: pairing, same: same) }
    }
}
