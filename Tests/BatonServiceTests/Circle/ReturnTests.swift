// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTesting
import BatonTransport
import Diagnosis
import Testing

@testable import BatonService
@testable import SimulatedTransport

extension ServiceTests.CircleLane {
    /// Tests that a device that was removed without knowing it can come back to its circle as a new
    /// device. A device that was not removed cannot be made to leave its circle in this way.
    struct ReturnTests {
        private static let app = Device.app

        /// A device's identity, and its knowledge of its circle.
        private struct Standing: Equatable {
            let device: DeviceID
            let circle: Circle?
            let certificate: DeviceID?

            init(_ device: Device) async {
                self.device = await device.identityID
                circle = await device.service.circle
                certificate = await device.service.returningDevice
            }
        }

        /// Creates two devices of a circle, one of which was removed while it was away.
        private func removed(_ body: (World, Device, Device) async throws -> Void) async throws {
            try await World.with { world in
                let (anna, berta) = try await world.pair()
                await berta.service.stop()
                _ = try await anna.service.removeDevice("berta")
                let back = try await world.device("berta")
                #expect(await back.memberNames == ["anna", "berta"])
                try await body(world, anna, back)
            }
        }

        /// Expects the same circle with the new identity and without the old one, and hand-overs
        /// between the two devices.
        private func expectReturn(of berta: Device, to anna: Device, from before: Standing) async throws {
            let after = await Standing(berta)
            #expect(after.device != before.device && after.circle?.id == before.circle?.id && after.certificate == nil)
            #expect(after.circle?.roster.isGone(before.device) == true)
            for device in [anna, berta] { #expect(await device.memberNames == ["anna", "berta"]) }
            #expect(await berta.service.status().findings.isEmpty)
            try await anna.publish("there")
            _ = try await berta.takeOver("there")
            try await berta.publish("here")
            _ = try await anna.takeOver("here")
        }

        /// Lets both users agree, and returns the results of both devices. `other` may be the
        /// device that comes back, and may be the one that dials.
        private func yes(
            _ one: Device, _ other: Device, anew: Bool, dials: Bool, meanwhile: () async throws -> Void = {}
        ) async throws -> [BatonError?] {
            let (waiting, dialling) = dials ? (one, other) : (other, one)
            async let first = waiting.service.pair(address: nil, anew: anew && !dials, client: Self.app)
            try await waiting.doorOpens()
            async let second = dialling.service.pair(endpoint: waiting.door, anew: anew && dials, client: Self.app)
            let (ours, theirs) = dials ? (try await first, try await second) : (try await second, try await first)
            #expect(ours.digits == theirs.digits)
            try await meanwhile()
            try await one.service.confirmPairing(ours.pairing, same: true, client: Self.app)
            try await other.service.confirmPairing(theirs.pairing, same: true, client: Self.app)
            let there = await failure(other, theirs.pairing)
            // End the pairing, because the device would wait for a knock for as long as one may
            // take.
            if anew, there != nil { await one.service.clientLeft(Self.app) }
            return [await failure(one, ours.pairing), there]
        }

        private func failure(_ device: Device, _ pairing: String) async -> BatonError? {
            do {
                try await device.service.paired(pairing, client: Self.app)
                return nil
            } catch {
                return error as? BatonError ?? BatonError(.handoffFailed, .unexpected, ["reason": .text("\(error)")])
            }
        }

        @Test("A removed device comes back as a new device by an invitation or a code", arguments: [false, true])
        func byInvitation(isCode: Bool) async throws {
            try await removed { _, anna, berta in
                let before = await Standing(berta)
                let text =
                    isCode
                    ? try await anna.service.pairByCode(client: Self.app).code : try await anna.service.invite().text
                try await berta.service.joinCircle(text)
                try await expectReturn(of: berta, to: anna, from: before)
            }
        }

        @Test("A removed device comes back as a new device by digits, whichever side dials", arguments: [false, true])
        func byDigits(dials: Bool) async throws {
            try await removed { world, anna, berta in
                let before = await Standing(berta)
                #expect(try await yes(anna, berta, anew: true, dials: dials) == [nil, nil])
                try await expectReturn(of: berta, to: anna, from: before)
                // The new identity is stored.
                let new = await berta.identityID
                await berta.service.stop()
                #expect(try await world.device("berta").identityID == new)
            }
        }

        @Test("Without its user's consent a device does not come back by digits, and both devices say what to do")
        func unasked() async throws {
            try await removed { _, anna, berta in
                let before = await Standing(berta)
                for error in try await yes(anna, berta, anew: false, dials: true) {
                    #expect(error?.code == .alreadyInCircle && error?.reason?.failure == .pairedAlready)
                }
                #expect(await Standing(berta) == before)
            }
        }

        @Test("A device that was not removed keeps its circle and keys, whatever invitation it gets")
        func notRemoved() async throws {
            try await World.withPair { anna, berta in
                let before = await (Standing(anna), Standing(berta))
                let text = try await anna.service.invite().text
                let own = await #expect(throws: BatonError.self) { try await anna.service.joinCircle(text) }
                #expect(own?.code == .alreadyInCircle && own?.reason?.failure == .invitationOwn)
                let invited = await #expect(throws: BatonError.self) { try await berta.service.joinCircle(text) }
                #expect(invited?.code == .alreadyInCircle && invited?.reason?.failure == .stillInCircle)
                let failures = try await yes(anna, berta, anew: true, dials: true)
                #expect(failures.last??.code == .alreadyInCircle)
                #expect(await Standing(berta).device == before.1.device)
                for device in [anna, berta] { #expect(await device.memberNames == ["anna", "berta"]) }
                try await anna.publish("note")
                _ = try await berta.takeOver("note")
            }
        }

        @Test(
            "No other circle can take a device out of its own circle, neither by invitation nor by digits",
            arguments: [true, false])
        func otherCircle(isInCircle: Bool) async throws {
            try await removed { world, _, berta in
                let eve = try await world.device("eve")
                let before = await Standing(berta)
                if isInCircle {
                    try await eve.service.createCircle(name: "")
                    let text = try await eve.service.invite().text
                    let invited = await #expect(throws: BatonError.self) { try await berta.service.joinCircle(text) }
                    #expect(invited?.code == .alreadyInCircle)
                }
                let failures = try await yes(eve, berta, anew: true, dials: true)
                #expect(failures.last??.code == .alreadyInCircle)
                let failure = isInCircle ? FailureCode.circlesDiffer : .otherWithoutCircle
                #expect(failures.last??.reason?.failure == failure)
                #expect(await Standing(berta) == before)
            }
        }

        @Test(
            "A device that leaves its circle before the digits are confirmed has no circle to come back to, and says so"
        )
        func ownCircleIsLost() async throws {
            try await removed { _, anna, berta in
                let failures = try await yes(anna, berta, anew: true, dials: true) {
                    _ = try await berta.service.leaveCircle()
                }
                #expect(failures.last??.reason?.failure == .circleLost)
                #expect(await berta.service.pairingIsRefusedUntil == nil)
            }
        }

        @Test("A removed device may report another device's removal, but takes no device in")
        func byARemovedDevice() async throws {
            try await World.withThree { anna, berta, carla in
                try await berta.knows(["anna", "berta", "carla"])
                var hers = try #require(await carla.service.circle)
                let keys = await carla.service.identity
                _ = try await anna.service.removeDevice("carla")
                try await berta.knows(["anna", "berta"])
                let new = DeviceIdentity()
                try hers.remove(await berta.identityID, by: keys)
                try hers.add(JoinRequest(new, name: "berta", circle: hers.id), by: keys)
                let encoded = try hers.encoded()
                await #expect(throws: ChannelFailure.self) {
                    try await berta.service.store.state.circleReturned(encoded, as: new)
                }
            }
        }

        @Test("If the inviting device vanishes, the device stays as it was, and comes back the next time")
        func inviterIsGone() async throws {
            try await removed { world, anna, berta in
                let before = await Standing(berta)
                let text = try await anna.service.invite().text
                await anna.service.stop()
                await #expect(throws: BatonError.self) { try await berta.service.joinCircle(text) }
                #expect(await Standing(berta) == before)
                let again = try await world.device("anna")
                try await berta.service.joinCircle(again.service.invite().text)
                try await expectReturn(of: berta, to: again, from: before)
            }
        }
    }
}
