// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTesting
import BatonTransport
import Foundation
import Testing

@testable import BatonService

extension ServiceTests.CircleLane {
    /// Tests pairing by a code that one device shows and the other reads.
    struct CodeTests {
        private let shower = ClientID(rawValue: ":1.7")

        @Test("Two devices without a circle found a circle by a code")
        func founding() async throws {
            try await World.withStrangers { anna, berta in
                let shown = try await anna.service.pairByCode(client: shower)
                #expect(await anna.service.status().circle == nil)
                try await berta.service.joinCircle(shown.code)
                try await anna.service.paired(shown.pairing, client: shower)
                #expect(await anna.service.members.map(\.name) == ["anna", "berta"])
                #expect(await anna.service.status().circle == berta.service.status().circle)
                // Each device can open the other's beacons, because both use one secret.
                try await anna.publish("org.example.letter")
                _ = try await berta.offer(ofType: "org.example.letter")
            }
        }

        @Test("A device in a circle adds one other device by a code, and no second one by the same code")
        func ownCircle() async throws {
            try await World.with { world in
                let (anna, _) = try await world.pair()
                let carla = try await world.device("carla")
                let circle = await anna.service.status().circle
                let shown = try await anna.service.pairByCode(client: shower)
                try await carla.service.joinCircle(shown.code)
                try await anna.service.paired(shown.pairing, client: shower)
                #expect(await carla.service.status().circle == circle)
                let dora = try await world.device("dora")
                let again = await #expect(throws: BatonError.self) { try await dora.service.joinCircle(shown.code) }
                #expect(again?.code == .invitationInvalid)
                #expect(await anna.service.members.count == 3)
            }
        }

        @Test("When the program that shows the code leaves, the code is void and no circle is founded")
        func takenBack() async throws {
            try await World.withStrangers { anna, berta in
                let shown = try await anna.service.pairByCode(client: shower)
                let waiting = Task { try await anna.service.paired(shown.pairing, client: shower) }
                await anna.service.clientLeft(shower)
                let end = await #expect(throws: BatonError.self) { try await waiting.value }
                #expect(end?.code == .userCancelled)
                let refused = await #expect(throws: BatonError.self) {
                    try await berta.service.joinCircle(shown.code)
                }
                #expect(refused?.code == .invitationInvalid)
                try await nothingIsLeft(of: anna)
                // The device may join another circle, or show another code.
                try await berta.makeCircle(with: anna)
                #expect(await anna.service.members.count == 2)
            }
        }

        @Test("A program that dies while it waits voids its code, because its call ends")
        func cancelled() async throws {
            try await World.withDevice { anna in
                let shown = try await anna.service.pairByCode(client: shower)
                let waiting = Task { try await anna.service.paired(shown.pairing, client: shower) }
                waiting.cancel()
                let end = await #expect(throws: BatonError.self) { try await waiting.value }
                #expect(end?.code == .userCancelled)
                try await nothingIsLeft(of: anna)
            }
        }

        @Test("A code that nobody uses expires after ten minutes, which is reported, and leaves nothing behind")
        func timeout() async throws {
            try await World.withDevice { anna, clock in
                let shown = try await anna.service.pairByCode(client: shower)
                #expect(shown.expires == clock.unixTime + 600)
                let waiting = Task { try await anna.service.paired(shown.pairing, client: shower) }
                clock.advance(by: .seconds(600))
                let end = await #expect(throws: BatonError.self) { try await waiting.value }
                #expect(end?.message.contains("ten minutes") == true)
                try await nothingIsLeft(of: anna)
            }
        }

        @Test("A code with a wrong secret opens no channel, and the right code still works")
        func mismatch() async throws {
            try await World.with { world in
                let (anna, berta) = try await world.strangers()
                let shown = try await anna.service.pairByCode(client: shower)
                // Only the 16 bytes of the secret are wrong, with one bit changed in each.
                let secret = try Invitation(text: shown.code, at: 0).secret
                let forged = try replacing(secret, by: secret.map { $0 ^ 1 }, in: shown.code)
                // Use another device, because one with three failed knocks loses its link and the
                // channels that it is opening.
                let carla = try await world.device("carla")
                let refused = await #expect(throws: BatonError.self) { try await carla.service.joinCircle(forged) }
                #expect(refused?.code == .invitationInvalid)
                #expect(await carla.service.status().circle == nil)
                try await berta.service.joinCircle(shown.code)
                try await anna.service.paired(shown.pairing, client: shower)
            }
        }

        @Test("A device that comes with the code and then refuses uses up the code, and both devices report that")
        func refusedByTheReader() async throws {
            try await World.withStrangers { anna, berta in
                let shown = try await anna.service.pairByCode(client: shower)
                // The altered code names another circle than the circle of the inviter.
                let altered = try leadingElsewhere(shown.code)
                let refused = await #expect(throws: BatonError.self) { try await berta.service.joinCircle(altered) }
                #expect(refused?.code == .pairingFailed)
                let end = await #expect(throws: BatonError.self) {
                    try await anna.service.paired(shown.pairing, client: shower)
                }
                #expect(end?.code == .pairingFailed)
                #expect(await berta.service.status().circle == nil)
                try await nothingIsLeft(of: anna)
                await #expect(throws: BatonError.self) { try await berta.service.joinCircle(shown.code) }
            }
        }

        @Test("A device shows one code at a time, for the program that asked for it")
        func oneCode() async throws {
            try await World.withDevice { anna in
                let shown = try await anna.service.pairByCode(client: shower)
                let second = await #expect(throws: BatonError.self) {
                    try await anna.service.pairByCode(client: Device.app)
                }
                #expect(second?.code == .limitReached)
                let foreign = await #expect(throws: BatonError.self) {
                    try await anna.service.paired(shown.pairing, client: Device.app)
                }
                #expect(foreign?.code == .notFound)
                // The departure of another program has no effect.
                await anna.service.clientLeft(Device.app)
                #expect(await anna.service.counts["invitations"] == 1)
            }
        }

        @Test("A code ends when its device joins another circle")
        func anotherCircle() async throws {
            try await World.with { world in
                let (anna, berta) = try await world.strangers()
                let carla = try await world.device("carla")
                let shown = try await anna.service.pairByCode(client: shower)
                try await berta.makeCircle(with: anna)
                let end = await #expect(throws: BatonError.self) {
                    try await anna.service.paired(shown.pairing, client: shower)
                }
                #expect(end?.code == .alreadyInCircle)
                await #expect(throws: BatonError.self) { try await carla.service.joinCircle(shown.code) }
                #expect(await carla.service.status().circle == nil)
            }
        }

        /// Returns a code with the same secret that names another circle.
        private func leadingElsewhere(_ code: String) throws -> String {
            let circle = try Invitation(text: code, at: 0).circle.bytes
            return try replacing(circle, by: [circle[0] ^ 1] + circle.dropFirst(), in: code)
        }

        /// Returns a code with one field changed.
        private func replacing(_ old: [UInt8], by new: [UInt8], in code: String) throws -> String {
            let line = code.trimmingCharacters(in: .whitespacesAndNewlines)
            let colon = try #require(line.firstIndex(of: ":"))
            var data = try #require(Data(base64Encoded: String(line[colon...].dropFirst())))
            data.replaceSubrange(try #require(data.range(of: Data(old))), with: new)
            return line[...colon] + data.base64EncodedString()
        }

        /// Expects that the device has no circle in memory or on disk, accepts no pairing, and has
        /// nothing on the air.
        private func nothingIsLeft(of device: Device) async throws {
            try await device.until("the end of the code's circle", after: .traceLine) {
                await device.service.advertising.advertiser == nil
            }
            #expect(await device.service.status().circle == nil)
            #expect(await device.service.counts["invitations"] == 0)
            #expect(await device.service.advertising.slot.ordinary == nil)
            if let bytes = FileManager.default.contents(atPath: device.directory + "/state") {
                #expect(try DeviceState(encoded: Array(bytes)).circle == nil)
            }
        }
    }
}
