// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonTesting
import Crypto
import Foundation
import Logging
import Testing

@testable import BatonProtocol
@testable import BatonService

extension ServiceTests.PeerLane {
    struct LogTests {
        @Test("No secret is in the log, not even at trace level")
        func noSecrets() async throws {
            let log = KeptLog()
            let logger = log.logger
            try await World.with { world in
                let (anna, berta) = try await world.pair(tcp: true, logger: logger)
                let invitation = try await anna.service.invite().text
                let carla = try await world.device("carla", logger: logger)
                try await carla.service.joinCircle(invitation)
                // Cause failures, because they are logged in most detail.
                await #expect(throws: BatonError.self) { try await anna.service.joinCircle(invitation) }
                try await anna.publish(
                    "org.example.draw", userInfo: [.string("k"): .string("what is typed")], streams: true)
                let continued = try await berta.takeOver("org.example.draw")
                let (device, instance) = try await berta.service.parts(of: continued.continuation)
                let grant = try await berta.service.requestStreams(to: instance, on: device)
                _ = try await berta.attach([UInt8](repeating: 0, count: 16), at: anna)
                _ = try await berta.attach(grant.token, at: anna)

                var secrets: [[UInt8]] = [grant.token, Array("what is typed".utf8)]
                secrets.append(try Invitation(text: invitation, at: 0).secret)
                for service in [anna.service, berta.service] {
                    let identity = await service.identity
                    secrets.append(Array(identity.certificateKey.rawRepresentation))
                    secrets.append(Array(identity.signingKey.rawRepresentation))
                    secrets.append(Array(identity.agreementKey.rawRepresentation))
                    secrets.append(try #require(await service.circle?.secret.secretBytes))
                }
                secrets.append(try await berta.credential(of: anna).key.secretBytes)
                for device in [anna, berta, carla] { await device.service.stop() }

                #expect(log.text.contains("joined the circle"))
                expectNone(of: secrets, in: log.text)
                #expect(!log.text.contains(invitation.trimmingCharacters(in: .whitespacesAndNewlines)))
            }
        }

        @Test(
            "No secret of a pairing is in the log or in an error, whether by digits or by code, in success or failure")
        func noSecretsOfPairing() async throws {
            let log = KeptLog()
            let logger = log.logger
            try await World.with { world in
                let anna = try await world.device("anna", logger: logger)
                let berta = try await world.device("berta", logger: logger)
                let carla = try await world.device("carla", logger: logger)
                let app = Device.app
                var secrets: [[UInt8]] = []
                var codes: [String] = []
                /// Records the full text of an error.
                func refused(_ what: String, _ body: () async throws -> Void) async {
                    do {
                        try await body()
                        Issue.record("\(what) was not refused")
                    } catch {
                        log.add(
                            "\(error) \(String(reflecting: error)) \(Mirror(reflecting: error).children.map(\.value))")
                    }
                }
                // Pair by digits: one user says no, a device leaves with the knock's key, and a
                // pairing succeeds.
                let no = try await Device.bothPair(anna, berta)
                try await anna.service.confirmPairing(no.one.pairing, same: false, client: app)
                await refused("a no") { try await anna.service.paired(no.one.pairing, client: app) }
                await refused("a no") { try await berta.service.paired(no.two.pairing, client: app) }
                for device in [anna, berta] { await device.service.forgetFailedPairings() }
                let impostor = try Impostor(try await world.radio("mallory"), certificate: DeviceIdentity())
                async let shown = anna.service.pair(address: nil, client: app)
                try await anna.doorOpens()
                async let agreed = impostor.agree(as: DeviceIdentity(), at: anna.door)
                let pairing = try await shown.pairing
                try await anna.service.confirmPairing(pairing, same: true, client: app)
                let key = try await agreed
                secrets.append(key.secretBytes)
                if let channel = try? await impostor.dial(anna.door, key: key) {
                    await refused("an impostor") { _ = try await channel.nextFrame(within: .seconds(30)) }
                }
                await anna.service.clientLeft(app)
                await refused("an impostor") { try await anna.service.paired(pairing, client: app) }
                await anna.service.forgetFailedPairings()
                try await Device.pairByAddress(waiting: anna, dialling: berta)
                secrets.append(try #require(await anna.service.circle?.secret.secretBytes))
                // By code: a damaged code, a code with another secret, a withdrawn code, and a code
                // that succeeds.
                for damaged in [true, false] {
                    let code = try await anna.service.pairByCode(client: app)
                    codes.append(code.code.trimmingCharacters(in: .whitespacesAndNewlines))
                    secrets.append(try Invitation(text: code.code, at: 0).secret)
                    if damaged {
                        let text = codes[0]
                        await refused("half a code") {
                            try await carla.service.joinCircle(String(text.prefix(text.count / 2)))
                        }
                        await refused("a code and more") { try await carla.service.joinCircle(text + "AAAA") }
                        let other = String(text.dropLast(8)) + "AAAAAAAA"
                        await refused("a changed code") { try await carla.service.joinCircle(other) }
                        await anna.service.clientLeft(app)
                        await refused("what was taken back") {
                            try await anna.service.paired(code.pairing, client: app)
                        }
                        await refused("what was taken back") { try await carla.service.joinCircle(text) }
                    } else {
                        try await carla.service.joinCircle(code.code)
                        try await anna.service.paired(code.pairing, client: app)
                        await refused("a second time") { try await carla.service.joinCircle(code.code) }
                    }
                }
                for device in [anna, berta, carla] {
                    let identity = await device.service.identity
                    secrets.append(Array(identity.certificateKey.rawRepresentation))
                    secrets.append(Array(identity.signingKey.rawRepresentation))
                    secrets.append(Array(identity.agreementKey.rawRepresentation))
                    await device.service.stop()
                }
                // A state that cannot be read causes an error, too.
                let path = anna.directory + "/state"
                let state = try #require(FileManager.default.contents(atPath: path))
                for bytes in [Data(state.dropLast()), state + state, Data(state.reversed())] {
                    try bytes.write(to: URL(filePath: path))
                    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
                    await refused("a damaged state") { _ = try StateStore(directory: anna.directory, name: "anna") }
                }
                #expect(log.text.contains("pairing failed") && log.text.contains("joined the circle"))
                expectNone(of: secrets, in: log.text)
                for code in codes { #expect(!log.text.contains(code)) }
            }
        }

        @Test("If a full disk prevents advertising, that is logged once, however often it is tried")
        func noRoomIsLoggedOnce() async throws {
            let log = KeptLog()
            let logger = log.logger
            try await World.with { world in
                let (anna, _) = try await world.pair()
                await anna.service.stop()
                let obstacle = anna.directory + "/state.new"
                try FileManager.default.createDirectory(atPath: obstacle, withIntermediateDirectories: false)
                let again = try await world.device("anna", logger: logger)
                for type in ["note", "letter", "note"] { try await again.publish(type) }
                #expect(log.text.components(separatedBy: "nothing is advertised").count == 2, "\(log.text)")
                try FileManager.default.removeItem(atPath: obstacle)
                try await again.publish("letter")
                await again.service.stop()
                // A new problem is logged again.
                try FileManager.default.createDirectory(atPath: obstacle, withIntermediateDirectories: false)
                let third = try await world.device("anna", logger: logger)
                try await third.publish("note")
                await third.service.stop()
                #expect(log.text.components(separatedBy: "nothing is advertised").count == 3)
            }
        }

        private func expectNone(of secrets: [[UInt8]], in text: String) {
            let small = text.lowercased()
            for (number, secret) in secrets.enumerated() {
                let hex = secret.map { String(UInt16($0) + 256, radix: 16).dropFirst() }.joined()
                #expect(!small.contains(hex), "\(number)")
                #expect(!text.contains(Data(secret).base64EncodedString().prefix { $0 != "=" }), "\(number)")
                #expect(!text.contains(secret.map(String.init).joined(separator: ", ")), "\(number)")
                #expect(!text.contains(String(decoding: secret, as: UTF8.self)), "\(number)")
            }
        }
    }
}
