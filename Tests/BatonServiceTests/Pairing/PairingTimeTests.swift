// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTesting
import BatonTransport
import Diagnosis
import NIOCore
import Testing

@testable import BatonService
@testable import SimulatedTransport

/// Tests pairings that time out on either side, and when their advertisements end.
extension ServiceTests.CircleLane.PairingTests {
    @Test("A search that finds no device in two minutes is reported, and its advertisement ends")
    func nobody() async throws {
        try await World.withDevice { anna, clock in
            let task = Task { try await anna.service.pair(address: nil, client: Self.app) }
            try await anna.until("the advertisement", after: .traceLine) {
                await anna.radio.payload?.count == PairingAdvert.byteCount
            }
            clock.advance(by: .seconds(119))
            #expect(await anna.radio.payload?.count == PairingAdvert.byteCount)
            clock.advance(by: .seconds(1))
            let error = await #expect(throws: BatonError.self) { _ = try await task.value }
            #expect(error?.code == .connectionUnavailable)
            try await anna.expectNothingLeft()
        }
    }

    @Test("Nothing is on the air while the digits are compared, and the limit of two minutes does not apply")
    func silentWhileComparing() async throws {
        try await World.withStrangers { anna, berta, clock in
            async let first = anna.service.pair(address: nil, client: Self.app)
            try await anna.until("the advertisement", after: .traceLine) {
                await anna.radio.payload?.count == PairingAdvert.byteCount
            }
            clock.advance(by: .seconds(60))
            async let second = berta.service.pair(endpoint: anna.door, client: Self.app)
            let found = try await (first, second)
            #expect(found.0.digits == found.1.digits)
            for device in [anna, berta] { #expect(await device.radio.payload == nil) }
            clock.advance(by: .seconds(59))
            try await anna.service.confirmPairing(found.0.pairing, same: true, client: Self.app)
            for device in [anna, berta] { #expect(await device.radio.payload == nil) }
            // The time for the search is over, but not the time for comparing.
            clock.advance(by: .seconds(2))
            try await berta.service.confirmPairing(found.1.pairing, same: true, client: Self.app)
            try await anna.service.paired(found.0.pairing, client: Self.app)
            try await berta.service.paired(found.1.pairing, client: Self.app)
            #expect(await anna.memberNames == ["anna", "berta"])
        }
    }

    @Test("Digits that are not compared in time pair nothing")
    func undecided() async throws {
        try await World.withStrangers { anna, berta, clock in
            async let first = anna.service.pair(address: nil, client: Self.app)
            async let second = berta.service.pair(address: nil, client: Self.app)
            try await anna.until("both have heard each other", after: .radioEvent, .traceLine) {
                let heard = await (anna.service.pairingHeardCount, berta.service.pairingHeardCount)
                return heard == (1, 1)
            }
            clock.advance(by: .seconds(2))
            let found = try await (first, second)
            try await anna.service.confirmPairing(found.0.pairing, same: true, client: Self.app)
            clock.advance(by: .seconds(120))
            for (device, pairing) in [(anna, found.0.pairing), (berta, found.1.pairing)] {
                // The device that times out first closes the channel, so the other may report that
                // before its own limit.
                let error = await #expect(throws: BatonError.self) {
                    try await device.service.paired(pairing, client: Self.app)
                }
                #expect(error?.message.contains("in time") == true, "\(String(describing: error))")
                try await device.expectNothingLeft()
            }
        }
    }

    @Test("If the time is over on one side only, both sides report that and keep no data", arguments: [true, false])
    func lateOnOneSide(dials: Bool) async throws {
        let (clock, other) = (ManualClock(), ManualClock())
        try await World.with { world in
            let (anna, berta) = (
                try await world.device("anna", clock: clock), try await world.device("berta", clock: other)
            )
            async let first = anna.service.pair(address: nil, client: Self.app)
            try await anna.doorOpens()
            async let second = berta.service.pair(endpoint: anna.door, client: Self.app)
            let found = try await (first, second)
            // The other user has agreed and waits.
            let (late, waiting) = dials ? (berta, anna) : (anna, berta)
            let (latePairing, pairing) =
                dials ? (found.1.pairing, found.0.pairing) : (found.0.pairing, found.1.pairing)
            try await waiting.service.confirmPairing(pairing, same: true, client: Self.app)
            (dials ? other : clock).advance(by: HandoffService.pairingDecision)
            let here = await #expect(throws: BatonError.self) {
                try await late.service.paired(latePairing, client: Self.app)
            }
            #expect(here?.code == .userCancelled && here?.message.contains("in time") == true)
            let there = await #expect(throws: BatonError.self) {
                try await waiting.service.paired(pairing, client: Self.app)
            }
            #expect(there?.code == .pairingFailed && there?.message.contains("in time") == true)
            for device in [anna, berta] { try await device.expectNothingLeft() }
        }
    }

    @Test("A yes that was given in time counts even if it arrives after the other side's limit")
    func yesOnItsWay() async throws {
        let (clock, other) = (ManualClock(), ManualClock())
        try await World.with { world in
            let anna = try await world.device("anna", clock: clock)
            let berta = try await world.device("berta", clock: other)
            async let first = anna.service.pair(address: nil, client: Self.app)
            try await anna.doorOpens()
            async let second = berta.service.pair(endpoint: anna.door, client: Self.app)
            let found = try await (first, second)
            try await berta.service.confirmPairing(found.1.pairing, same: true, client: Self.app)
            other.advance(by: HandoffService.pairingDecision)
            try await anna.service.confirmPairing(found.0.pairing, same: true, client: Self.app)
            try await anna.service.paired(found.0.pairing, client: Self.app)
            try await berta.service.paired(found.1.pairing, client: Self.app)
            #expect(await anna.memberNames.sorted() == ["anna", "berta"])
        }
    }

    /// Pairs by digits with a device without a service, which agrees. Anna agrees after `wait`.
    private func agreed(
        with said: DeviceIdentity, by impostor: Impostor, _ anna: Device, _ clock: ManualClock, after wait: Duration
    ) async throws -> (pairing: String, key: PairwiseKey) {
        async let shown = anna.service.pair(address: nil, client: Self.app)
        try await anna.doorOpens()
        async let key = impostor.agree(as: said, at: anna.door)
        let pairing = try await shown.pairing
        clock.advance(by: wait)
        try await anna.service.confirmPairing(pairing, same: true, client: Self.app)
        return (pairing, try await key)
    }

    @Test("If a device vanishes after both have agreed, the other waits as long as a dial takes, and reports that")
    func noKnock() async throws {
        #expect(HandoffService.pairingKnock == .seconds(70))
        try await World.with { world, clock in
            let anna = try await world.device("anna", clock: clock)
            let said = DeviceIdentity()
            let impostor = try Impostor(try await world.radio("berta"), certificate: said)
            let (pairing, _) = try await agreed(with: said, by: impostor, anna, clock, after: .seconds(1))
            clock.advance(by: HandoffService.pairingKnock - .seconds(1))
            #expect(await !anna.service.isPairingOver)
            clock.advance(by: .seconds(1))
            try await anna.expectNothingLeft()
            let error = await #expect(throws: BatonError.self) {
                try await anna.service.paired(pairing, client: Self.app)
            }
            #expect(error?.code == .pairingFailed && error?.reason?.failure == .noKnock)
        }
    }

    /// Returns a channel after the frame Welcome. Dials again, as a device does, while the service
    /// has not noticed that the former channel broke.
    private func welcomedInTime(
        _ said: DeviceIdentity, to circle: CircleID, by impostor: Impostor, at anna: Device, _ key: PairwiseKey
    ) async throws -> SecureChannel {
        for _ in 1..<1_000 {
            do {
                return try await impostor.join(circle, of: anna, as: said, key: key)
            } catch let failure as ChannelFailure where failure.isBreak {
                try await Task.sleep(for: .milliseconds(5))
            }
        }
        return try await impostor.join(circle, of: anna, as: said, key: key)
    }

    @Test(
        "A connection that breaks after both users have agreed does not end the pairing, because a new knock is accepted"
    )
    func knocksAgain() async throws {
        try await World.with { world, clock in
            let anna = try await world.device("anna", clock: clock)
            try await anna.service.createCircle(name: "")
            let circle = try #require(await anna.service.circle)
            let said = DeviceIdentity()
            let impostor = try Impostor(try await world.radio("berta"), certificate: said)
            let (pairing, key) = try await agreed(with: said, by: impostor, anna, clock, after: .seconds(1))
            for isLast in [false, true] {
                let channel = try await welcomedInTime(said, to: circle.id, by: impostor, at: anna, key)
                if isLast { channel.send(.joined([])) } else { channel.close() }
            }
            try await anna.service.paired(pairing, client: Self.app)
            #expect(await anna.service.circle?.roster.members[said.id] != nil)
        }
    }

    @Test("A yes at the last moment counts, even if the steps after it come after the limit")
    func yesAtTheLastMoment() async throws {
        try await World.with { world, clock in
            let anna = try await world.device("anna", clock: clock)
            try await anna.service.createCircle(name: "")
            let circle = try #require(await anna.service.circle)
            let said = DeviceIdentity()
            let impostor = try Impostor(try await world.radio("berta"), certificate: said)
            let last = HandoffService.pairingDecision - .seconds(1)
            let (pairing, key) = try await agreed(with: said, by: impostor, anna, clock, after: last)
            clock.advance(by: .seconds(2))
            try await eventually("the door is closed") { await !anna.service.channels.pairingDoor.isOpen }
            try await impostor.join(circle.id, of: anna, as: said, key: key).send(.joined([]))
            try await anna.service.paired(pairing, client: Self.app)
            #expect(await anna.memberNames == ["anna", "other"])
        }
    }
}
