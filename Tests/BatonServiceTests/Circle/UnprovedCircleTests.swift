// SPDX-License-Identifier: Apache-2.0

import BatonTesting
import Diagnosis
import Foundation
import Glibc
import Testing

@testable import BatonProtocol
@testable import BatonService

extension ServiceTests.CircleLane {
    /// Tests a state file with a circle from an earlier version of Baton, in which devices did not
    /// prove their keys.
    struct UnprovedCircleTests {
        private struct Left: Decodable {
            struct State: Decodable {
                var device: String
                var state: String
            }
            var member: State
        }

        private func left() throws -> (device: String, state: Data) {
            let file = URL(filePath: #filePath).appending(path: "../../../Vectors/version-1.json").standardized
            let member = try JSONDecoder().decode(Left.self, from: Data(contentsOf: file)).member
            let digits = Array(member.state)
            let bytes = stride(from: 0, to: digits.count, by: 2).compactMap {
                UInt8(String(digits[$0...$0 + 1]), radix: 16)
            }
            return (member.device, Data(bytes))
        }

        /// Creates a service whose state was written by an earlier version, as a member of a
        /// circle.
        private func device(_ world: World) async throws -> (Device, file: URL, Data) {
            let directory = world.stateDirectory("anna")
            let (id, state) = try left()
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            let file = URL(fileURLWithPath: directory + "/state")
            try state.write(to: file)
            chmod(file.path, 0o600)
            let anna = try await world.device("anna")
            #expect(await anna.service.status().device == id)
            return (anna, file, state)
        }

        @Test("A circle of an earlier version is reported, and its file is left as it was")
        func told() async throws {
            try await World.with { world in
                let (anna, file, before) = try await device(world)
                let status = await anna.service.status()
                #expect(status.circle == nil && status.members.isEmpty)
                #expect(status.withoutCircle == Finding(.circleOutdated) && status.pairingRefusal != nil)
                #expect(status.findings.contains(Finding(.circleOutdated)))
                await anna.service.stop()
                #expect(try Data(contentsOf: file) == before)
            }
        }

        @Test("A circle of an earlier version is neither replaced nor used before its user leaves it")
        func everyWayIntoACircle() async throws {
            try await World.with { world in
                let berta = try await world.device("berta")
                try await berta.service.createCircle(name: "")
                let invitation = try await berta.service.invite().text
                let (anna, file, before) = try await device(world)
                let client = ClientID(rawValue: "anybody")
                let ways: [(String, @Sendable () async throws -> Void)] = [
                    ("create", { try await anna.service.createCircle(name: "") }),
                    ("join", { try await anna.service.joinCircle(invitation) }),
                    ("pair", { _ = try await anna.service.pair(address: nil, client: client) }),
                    ("code", { _ = try await anna.service.pairByCode(client: client) }),
                    ("invite", { _ = try await anna.service.invite() }),
                    ("remove", { _ = try await anna.service.removeDevice("berta") }),
                ]
                for (name, way) in ways {
                    let error = await #expect(throws: BatonError.self, "\(name)") { try await way() }
                    #expect(
                        error?.code == .noCircle && error?.reason?.code == FindingCode.circleOutdated.rawValue,
                        "\(name)")
                }
                #expect(try Data(contentsOf: file) == before)
            }
        }

        @Test("A device that has left a circle of an earlier version is a new device, and joins another")
        func leaving() async throws {
            try await World.with { world in
                let berta = try await world.device("berta")
                try await berta.service.createCircle(name: "")
                let (anna, file, before) = try await device(world)
                let old = await anna.service.identity.id
                // After the device was renamed, the old circle is still reported.
                try await anna.service.rename(to: "Desk")
                #expect(await anna.service.status().findings.contains(Finding(.circleOutdated)))
                #expect(try await anna.service.leaveCircle() == [])
                #expect(try Data(contentsOf: file) != before)
                #expect(await anna.service.identity.id != old)
                #expect(await !anna.service.status().findings.contains(Finding(.circleOutdated)))
                try await anna.service.joinCircle(berta.service.invite().text)
                #expect(await anna.memberNames == ["Desk", "berta"])
                await anna.service.stop()
                let again = try await world.device("anna")
                #expect(await again.memberNames == ["Desk", "berta"])
            }
        }
    }
}
