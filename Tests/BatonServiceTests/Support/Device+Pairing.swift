// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTesting
import BatonTransport
import Testing

@testable import BatonService
@testable import SimulatedTransport

extension Device {
    /// Pairs two devices whose users run `baton pair` at the same time.
    static func bothPair(
        _ one: Device, _ two: Device
    ) async throws -> (one: (pairing: String, digits: String), two: (pairing: String, digits: String)) {
        async let first = one.service.pair(address: nil, client: Device.app)
        async let second = two.service.pair(address: nil, client: Device.app)
        return try await (first, second)
    }

    /// Pairs over the simulated radio, with one device that dials the other's address.
    static func pairByAddress(waiting: Device, dialling: Device) async throws {
        async let first = waiting.service.pair(address: nil, client: Device.app)
        try await waiting.doorOpens()
        let endpoint = try await waiting.door
        async let second = dialling.service.pair(endpoint: endpoint, client: Device.app)
        let found = try await (first, second)
        #expect(found.0.digits == found.1.digits)
        try await waiting.service.confirmPairing(found.0.pairing, same: true, client: Device.app)
        try await dialling.service.confirmPairing(found.1.pairing, same: true, client: Device.app)
        async let one: Void = waiting.service.paired(found.0.pairing, client: Device.app)
        async let two: Void = dialling.service.paired(found.1.pairing, client: Device.app)
        _ = try await (one, two)
    }

    /// Expects that the device has no circle, accepts no pairing, and has no advertisement and no
    /// key for knocks.
    func expectNothingLeft() async throws {
        await service.pairingEnds()
        #expect(await service.circle == nil)
        #expect(await !service.channels.pairingDoor.isOpen)
        #expect(await service.keyring.candidates.isEmpty)
        #expect(await radio.payload == nil)
    }
}

extension HandoffService {
    /// The id with which the device comes back to its circle.
    var returningDevice: DeviceID? { pairings.returning?.id }
    var pairingIsRefusedUntil: Duration? { pairings.limiter.refusedUntil(at: clock.uptime) }
    var isPairingOver: Bool { pairings.run?.isOver ?? true }
    /// Waits until the last pairing by digits has ended completely.
    func pairingEnds() async { _ = await pairings.run?.task?.result }
    var pairingHeardCount: Int { pairings.run?.procedure.sighted.count ?? 0 }
    /// Ends the pauses that failed pairings cause.
    func forgetFailedPairings() { pairings.succeeded() }
}
