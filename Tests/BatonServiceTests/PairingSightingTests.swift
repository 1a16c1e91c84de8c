// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport
import Testing

@testable import BatonService

/// Pairing where the radio tells of an advertisement once only, as BlueZ does.
extension ServiceTests.PairingTests {
    @Test("Who began to pair before, and was told of once, is found; who begins anew is no third")
    func toldOnce() async throws {
        try await World.with { world in
            let anna = try await world.device("anna")
            func hears(_ nonce: UInt8) async throws {
                let advert = try #require(PairingAdvert(nonce: [UInt8](repeating: nonce, count: 8), psm: 0x80))
                await anna.service.radioEvent(
                    .sighted(Sighting(address: "other", payload: advert.payload, signal: nil)))
            }
            // The lowest nonces: the other one is to dial.
            try await hears(0)
            let pairing = Task { try await anna.service.pair(address: nil, client: Self.app) }
            try await eventually("the other is found") {
                await anna.service.pairingNonces == [0]
            }
            try await hears(1)
            #expect(await anna.service.pairingNonces == [1])
            await anna.service.radioEvent(.lost(address: "other"))
            #expect(await anna.service.pairingSightings.isEmpty)
            await anna.service.clientLeft(Self.app)
            await #expect(throws: ServiceError.self) { try await pairing.value }
            // Noise fills no memory.
            for number in 0..<100 {
                let advert = try #require(PairingAdvert(nonce: [UInt8](repeating: 9, count: 8), psm: 0x80))
                await anna.service.radioEvent(
                    .sighted(Sighting(address: "\(number)", payload: advert.payload, signal: nil)))
            }
            #expect(await anna.service.pairingSightings.count == 16)
        }
    }
}

extension HandoffService {
    /// The first bytes of the nonces that the pairing under way has heard.
    fileprivate var pairingNonces: [UInt8] { pairing?.heard.keys.compactMap(\.first) ?? [] }
}
