// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTesting
import BatonTransport
import NIOCore
import Testing

@testable import BatonService
@testable import SimulatedTransport

/// What becomes of a pairing whose time is over, on either side, and of its advertisement.
extension ServiceTests.CircleLane.PairingTests {
    @Test("Who finds nobody within two minutes is told so; the advertisement ends with that")
    func nobody() async throws {
        let clock = ManualClock()
        try await World.with { world in
            let anna = try await world.device("anna", clock: clock)
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

    @Test("While the digits are compared nothing is on the air, and after two minutes nothing whatever follows")
    func silentWhileComparing() async throws {
        let clock = ManualClock()
        try await World.with { world in
            let (anna, berta) = (
                try await world.device("anna", clock: clock), try await world.device("berta", clock: clock)
            )
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
            // The search would be over now; comparing is not.
            clock.advance(by: .seconds(2))
            try await berta.service.confirmPairing(found.1.pairing, same: true, client: Self.app)
            try await anna.service.paired(found.0.pairing, client: Self.app)
            try await berta.service.paired(found.1.pairing, client: Self.app)
            #expect(await anna.memberNames == ["anna", "berta"])
        }
    }

    @Test("Digits that nobody compares in time pair nothing")
    func undecided() async throws {
        let clock = ManualClock()
        try await World.with { world in
            let (anna, berta) = (
                try await world.device("anna", clock: clock), try await world.device("berta", clock: clock)
            )
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
                // Whichever ends first hangs up: the other may be told that before its own time is
                // over.
                let error = await #expect(throws: BatonError.self) {
                    try await device.service.paired(pairing, client: Self.app)
                }
                #expect(error?.message.contains("in time") == true, "\(String(describing: error))")
                try await device.expectNothingLeft()
            }
        }
    }

    @Test("When the time is over on one side alone, both are told, and nothing is left", arguments: [true, false])
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
            // The other user has said yes, and waits.
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

    @Test("A yes that was said in time is in time, though it arrives when the other side's is over")
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

    /// A pairing by digits with a device made by hand, which has said yes; anna says so after
    /// `wait`.
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

    @Test("Who breaks off after both yeses is not waited for any longer than a dial takes, and the user is told so")
    func noKnock() async throws {
        #expect(HandoffService.pairingKnock == .seconds(70))
        let clock = ManualClock()
        try await World.with { world in
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
            #expect(error?.code == .pairingFailed && error?.message.contains("broke off") == true)
        }
    }

    /// A channel whose device has asked to join and has been welcomed.
    private func welcomed(
        _ said: DeviceIdentity, to circle: CircleID, by impostor: Impostor, at anna: Device, _ key: PairwiseKey
    ) async throws -> SecureChannel {
        let channel = try await impostor.dial(anna.door, key: key)
        channel.send(.join(try JoinRequest(said, name: "other", circle: circle).encoded()))
        guard case .welcome = try await channel.nextFrame(within: .seconds(30)) else {
            throw Missing(what: "Welcome")
        }
        return channel
    }

    @Test("Once both have said yes a connection that breaks is no end: who knocks again is taken in")
    func knocksAgain() async throws {
        let clock = ManualClock()
        try await World.with { world in
            let anna = try await world.device("anna", clock: clock)
            try await anna.service.createCircle(name: "")
            let circle = try #require(await anna.service.circle)
            let said = DeviceIdentity()
            let impostor = try Impostor(try await world.radio("berta"), certificate: said)
            let (pairing, key) = try await agreed(with: said, by: impostor, anna, clock, after: .seconds(1))
            for isLast in [false, true] {
                let channel = try await welcomed(said, to: circle.id, by: impostor, at: anna, key)
                if isLast { channel.send(.joined([])) } else { channel.close() }
            }
            try await anna.service.paired(pairing, client: Self.app)
            #expect(await anna.service.circle?.roster.members[said.id] != nil)
        }
    }

    @Test("A yes at the last moment is in time, though what follows it is not")
    func yesAtTheLastMoment() async throws {
        let clock = ManualClock()
        try await World.with { world in
            let anna = try await world.device("anna", clock: clock)
            try await anna.service.createCircle(name: "")
            let circle = try #require(await anna.service.circle)
            let said = DeviceIdentity()
            let impostor = try Impostor(try await world.radio("berta"), certificate: said)
            let last = HandoffService.pairingDecision - .seconds(1)
            let (pairing, key) = try await agreed(with: said, by: impostor, anna, clock, after: last)
            clock.advance(by: .seconds(2))
            try await eventually("the door is closed") { await !anna.service.channels.pairingDoor.isOpen }
            try await welcomed(said, to: circle.id, by: impostor, at: anna, key).send(.joined([]))
            try await anna.service.paired(pairing, client: Self.app)
            #expect(await anna.memberNames == ["anna", "other"])
        }
    }
}
