// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTesting
import BatonTransport
import Crypto
import Diagnosis
import Foundation
import Testing

@testable import BatonService

extension ServiceTests.CircleLane {
    struct CircleTests {
        @Test("After create, invite and join, both devices know both members")
        func join() async throws {
            try await World.withPair { anna, berta in
                let (ours, theirs) = (await anna.service.members, await berta.service.members)
                #expect(ours.map(\.name) == ["anna", "berta"])
                #expect(theirs.map(\.name) == ["berta", "anna"])
                #expect(Set(ours.map(\.device)) == Set(theirs.map(\.device)))
                #expect(await anna.service.status().circle == berta.service.status().circle)
            }
        }

        @Test("An invitation holds no key of the circle")
        func invitationHoldsNoKeys() async throws {
            try await World.withPair { anna, _ in
                let text = try await anna.service.invite().text
                let line = text.trimmingCharacters(in: .whitespacesAndNewlines)
                let encoded = try #require(Data(base64Encoded: String(line.drop { $0 != ":" }.dropFirst())))
                let secret = try #require(await anna.service.circle?.secret.secretBytes)
                let identity = await anna.service.identity
                for key in [
                    Data(secret), identity.certificateKey.rawRepresentation, identity.signingKey.rawRepresentation,
                    identity.agreementKey.rawRepresentation,
                ] {
                    #expect(encoded.range(of: key) == nil)
                    #expect(!text.contains(key.base64EncodedString()))
                }
            }
        }

        @Test("An invitation that names another inviter is reported as possibly changed")
        func changedOnItsWay() async throws {
            try await World.withStrangers { anna, berta in
                try await anna.service.createCircle(name: "")
                var text = Array(try await anna.service.invite().text)
                // Change a character in the middle of the pin.
                let place = try #require(text.firstIndex(of: ":")) + 45
                text[place] = text[place] == "A" ? "B" : "A"
                let changed = String(text)
                let error = await #expect(throws: BatonError.self) { try await berta.service.joinCircle(changed) }
                #expect(error?.code == .invitationInvalid)
                #expect(error?.reason == Reason(.invitationUnanswered, ["laptop": "anna"]))
            }
        }

        @Test("The first device that joins uses up an invitation")
        func usedUp() async throws {
            try await World.with { world in
                let anna = try await world.device("anna")
                let (berta, carla) = (try await world.device("berta"), try await world.device("carla"))
                try await anna.service.createCircle(name: "")
                let text = try await anna.service.invite().text
                try await berta.service.joinCircle(text)
                let error = await #expect(throws: BatonError.self) { try await carla.service.joinCircle(text) }
                #expect(error?.code == .invitationInvalid)
                #expect(await carla.service.status().circle == nil)
                #expect(await anna.service.members.count == 2)
            }
        }

        @Test("If either device cannot store the new circle, no invitation is used up and no member is added")
        func fullDisk() async throws {
            try await World.with { world in
                let anna = try await world.device("anna")
                try await anna.service.createCircle(name: "")
                for (place, name) in [("joiner", "berta"), ("inviter", "carla")] {
                    let joiner = try await world.device(name)
                    let text = try await anna.service.invite().text
                    let before = await anna.service.members.count
                    // Space for the state file cannot be reserved, because its directory is
                    // missing.
                    let directory = (place == "joiner" ? joiner : anna).directory
                    try FileManager.default.moveItem(atPath: directory, toPath: directory + ".away")
                    let error = await #expect(throws: BatonError.self) { try await joiner.service.joinCircle(text) }
                    if place == "joiner" {
                        #expect(error?.code == .stateUnusable && error?.reason?.failure == .circleNotKept)
                    } else {
                        // The invitation is still valid, so the message gives the right advice on
                        // both devices.
                        #expect(error?.code == .pairingFailed && error?.reason?.failure == .joiningBroke)
                    }
                    #expect(await joiner.service.circle == nil)
                    #expect(await anna.service.members.count == before)
                    try FileManager.default.moveItem(atPath: directory + ".away", toPath: directory)
                    try await joiner.service.joinCircle(text)
                    #expect(await anna.service.members.count == before + 1)
                    #expect(
                        try FileManager.default.contentsOfDirectory(atPath: directory).sorted() == ["lock", "state"])
                }
            }
        }

        @Test("A device that cannot store another member makes no invitation and no code, and begins no pairing")
        func noRoomForAnother() async throws {
            try await World.withDevice { anna in
                try await anna.service.createCircle(name: "")
                try FileManager.default.moveItem(atPath: anna.directory, toPath: anna.directory + ".away")
                let attempts: [@Sendable () async throws -> Void] = [
                    { _ = try await anna.service.invite() },
                    { _ = try await anna.service.pairByCode(client: Device.app) },
                    { _ = try await anna.service.pair(address: nil, client: Device.app) },
                ]
                for attempt in attempts {
                    let error = await #expect(throws: BatonError.self) { try await attempt() }
                    #expect(error?.code == .stateUnusable && error?.reason?.failure == .circleNotKept)
                }
                #expect(await anna.service.counts["invitations"] == 0)
                #expect(await anna.service.isPairingOver)
                try FileManager.default.moveItem(atPath: anna.directory + ".away", toPath: anna.directory)
                for attempt in attempts.dropLast() { try await attempt() }
            }
        }

        @Test("If two devices use one invitation at the same time, one of them joins")
        func usedAtOnce() async throws {
            try await World.with { world in
                let anna = try await world.device("anna")
                let (berta, carla) = (try await world.device("berta"), try await world.device("carla"))
                try await anna.service.createCircle(name: "")
                let text = try await anna.service.invite().text
                async let one: Void = berta.service.joinCircle(text)
                async let other: Void = carla.service.joinCircle(text)
                let results = (try? await one, try? await other)
                #expect((results.0 == nil) != (results.1 == nil))
                #expect(await anna.service.members.count == 2)
            }
        }

        @Test("An invitation expires after ten minutes, by the joiner's clock and by both clocks of the inviter")
        func expired() async throws {
            let (hers, his) = (ManualClock(), ManualClock())
            try await World.with { world in
                let anna = try await world.device("anna", clock: hers)
                let bruno = try await world.device("bruno", clock: his)
                try await anna.service.createCircle(name: "")
                let (text, expires) = try await anna.service.invite()
                #expect(expires == hers.unixTime + 600)
                his.advance(by: .seconds(600))
                let here = await #expect(throws: BatonError.self) { try await bruno.service.joinCircle(text) }
                #expect(here?.reason == Reason(.invitationOver, ["clock": .time(expires)]))
                // A wall clock that runs slow does not extend the invitation.
                his.setUnixTime(expires - 600)
                hers.setUnixTime(expires)
                let there = await #expect(throws: BatonError.self) { try await bruno.service.joinCircle(text) }
                #expect(there?.code == .pairingFailed)
                // Setting the inviting device's wall clock back after that time does not extend it
                // either.
                hers.setUnixTime(expires - 600)
                let next = try await anna.service.invite().text
                hers.advance(by: .seconds(600))
                hers.setUnixTime(expires - 600)
                try await anna.until("the invitation's end", after: .sleep, .traceLine) {
                    await anna.service.timetable.deadlines[.invitations] == nil
                }
                let late = await #expect(throws: BatonError.self) { try await bruno.service.joinCircle(next) }
                #expect(late?.code == .invitationInvalid)
                #expect(await anna.service.members.count == 1)
            }
        }

        @Test("An invitation is useless without the device that made it", arguments: [false, true])
        func inviterGone(tcp: Bool) async throws {
            try await World.with { world in
                let anna = try await world.device("anna", tcp: tcp)
                let berta = try await world.device("berta", tcp: tcp)
                try await anna.service.createCircle(name: "")
                let text = try await anna.service.invite().text
                await anna.service.stop()
                let error = await #expect(throws: BatonError.self) { try await berta.service.joinCircle(text) }
                #expect(error?.code == .invitationInvalid)
                #expect(error?.reason == Reason(.invitationUnanswered, ["laptop": "anna"]))
            }
        }

        @Test("A device that has an invitation's secret but not the pinned key takes no device in")
        func wrongPin() async throws {
            try await World.withStrangers { anna, berta in
                try await anna.service.createCircle(name: "")
                let genuine = try Invitation(text: await anna.service.invite().text, at: 0)
                let other = DeviceIdentity()
                // An attacker who read the invitation's file could answer elsewhere with a key of
                // his own.
                var forged = Invitation(
                    from: other.keys, name: "anna", to: genuine.circle, at: anna.service.clock.unixTime,
                    endpoints: genuine.endpoints)
                await anna.service.open(forged)
                forged = try Invitation(text: forged.text(), at: 0)
                let error = await #expect(throws: BatonError.self) {
                    try await berta.service.joinCircle(forged.text())
                }
                #expect(error?.code == .invitationInvalid)
                #expect(await berta.service.status().circle == nil)
                #expect(await anna.service.members.count == 1)
            }
        }

        @Test("A ninth invitation replaces the oldest")
        func invitationLimit() async throws {
            try await World.with { world, clock in
                let anna = try await world.device("anna", clock: clock)
                let berta = try await world.device("berta", clock: clock)
                try await anna.service.createCircle(name: "")
                let first = try await anna.service.invite().text
                for _ in 0..<8 {
                    clock.advance(by: .seconds(1))
                    _ = try await anna.service.invite()
                }
                #expect(await anna.service.counts["invitations"] == OpenInvitations.maximumCount)
                let error = await #expect(throws: BatonError.self) { try await berta.service.joinCircle(first) }
                #expect(error?.code == .invitationInvalid)
            }
        }

        @Test(
            "A text that is not an invitation is refused with one line",
            arguments: ["", "baton-invitation-1:", "x", "\u{0}"])
        func noInvitation(text: String) async throws {
            try await World.with { world in
                let berta = try await world.device("berta")
                let error = await #expect(throws: BatonError.self) { try await berta.service.joinCircle(text) }
                #expect(error?.code == .invitationInvalid)
                #expect(error?.message.contains("\n") == false)
                // A truncated text is not reported as made by another version.
                #expect(error?.message.contains("version") == false)
            }
        }

        @Test("A device is in at most one circle, and makes no invitation without a circle")
        func oneCircle() async throws {
            try await World.with { world in
                let (anna, _) = try await world.pair()
                let again = await #expect(throws: BatonError.self) { try await anna.service.createCircle(name: "") }
                #expect(again?.code == .alreadyInCircle)
                let text = try await anna.service.invite().text
                let joined = await #expect(throws: BatonError.self) { try await anna.service.joinCircle(text) }
                #expect(joined?.code == .alreadyInCircle)
                let carla = try await world.device("carla")
                let none = await #expect(throws: BatonError.self) { try await carla.service.invite() }
                #expect(none?.code == .noCircle)
                let name = await #expect(throws: BatonError.self) {
                    try await carla.service.createCircle(name: "a\u{202E}b")
                }
                #expect(name?.code == .invalidArgument)
            }
        }
    }
}

extension HandoffService {
    /// Makes the device accept an invitation that it did not make.
    func open(_ invitation: Invitation) { keyring.setInvitations(["forged": invitation]) }
}
