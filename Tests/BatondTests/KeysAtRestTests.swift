// SPDX-License-Identifier: GPL-3.0-or-later

import BatonBus
import BatonTesting
import Crypto
import DBus
import Foundation
import Glibc
import Testing

@testable import BatonProtocol

/// Tests how real daemons store their keys, and that the keys appear nowhere else.
@Suite(.serialized, .timeLimit(.minutes(3))) struct KeysAtRestTests {
    private func bytes(_ root: URL) throws -> Data { try Data(contentsOf: file(root)) }
    private func file(_ root: URL) -> URL { RunningDaemon.state(in: root).appending(path: "state") }

    /// Creates the state of a device that is in a circle.
    private func makeState(_ root: URL) async throws {
        let daemon = try await RunningDaemon.serving(in: root)
        #expect(try await daemon.baton(["circle", "create", "--name", "Desk"]).status == 0)
        _ = await daemon.end()
    }

    enum Damage: String, CaseIterable { case corrupt, tooOpen, newer }

    @Test(
        "With an unusable state batond starts, reports it, refuses to pair, and makes no new identity",
        arguments: Damage.allCases)
    func locked(how: Damage) async throws {
        try await withDirectory { root in
            try await makeState(root)
            let word: String
            switch how {
            case .corrupt:
                var state = try bytes(root)
                state[state.count / 2] ^= 1
                try state.write(to: file(root))
                chmod(file(root).path, 0o600)
                word = "damaged"
            case .tooOpen:
                chmod(file(root).path, 0o644)
                word = "Other users may read"
            case .newer:
                try newerVersion(of: bytes(root)).write(to: file(root))
                chmod(file(root).path, 0o600)
                word = "Another version"
            }
            let before = try bytes(root)
            let daemon = try await RunningDaemon.serving(in: root)
            let status = try await daemon.baton(["status"])
            #expect(status.status == 0 && status.text.contains("warning") && status.text.contains(word))
            #expect(status.text.contains("start batond again"))
            for arguments in [
                ["pair"], ["circle", "create"], ["circle", "invite", "f"], ["rename", "x"], ["leave"],
                ["continue", "--type", "org.example.note"], ["publish", "--type", "org.example.note"],
                ["rules"], ["grants"], ["domains"], ["adapters"], ["doctor", "daemon"],
            ] {
                let refused = try await daemon.baton(arguments)
                #expect(refused.status != 0 && refused.text.contains(word), "\(arguments)")
                // The problem is reported once.
                #expect(refused.text.components(separatedBy: word).count == 2, "\(arguments): \(refused.text)")
            }
            // Test calls that no command makes.
            let program = try await DBusConnection.open(address: daemon.bus.address)
            for (interface, member, argument) in [
                (BatonBusName.offers, "TakePage", "p1"), (BatonBusName.activities, "TakeStreams", "s1"),
            ] {
                let refusal = await #expect(throws: DBusError.self) {
                    try await program.call(
                        destination: BatonBusName.bus, path: BatonBusName.path, interface: interface, member: member,
                        arguments: [.string(argument)])
                }
                #expect(refusal?.message.contains(word) == true, "\(member)")
            }
            program.close()
            let end = await daemon.end()
            #expect(end.signal == 0 && end.log.contains(word))
            #expect(try bytes(root) == before)
            // After the problem is repaired, everything works as before.
            guard how == .tooOpen else { return }
            chmod(file(root).path, 0o600)
            let again = try await RunningDaemon.serving(in: root)
            #expect(try await again.baton(["status"]).text.contains("Desk"))
            _ = await again.end()
        }
    }

    /// Returns the same state with a newer version of its format.
    private func newerVersion(of data: Data) throws -> Data {
        let state = try DeviceState(encoded: Array(data))
        return Data(try state.encoded(version: DeviceState.version + 1))
    }

    @Test(
        "A circle of an earlier version of Baton is reported in the log and by the tool, kept, and left by 'baton leave'"
    )
    func unprovedCircle() async throws {
        try await withDirectory { root in
            let before = try earlierState()
            try FileManager.default.createDirectory(
                at: RunningDaemon.state(in: root), withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            try before.write(to: file(root))
            chmod(file(root).path, 0o600)
            let daemon = try await RunningDaemon.serving(in: root)
            for arguments in [
                ["status"], ["pair"], ["pair", "--qr"], ["circle", "create"], ["circle", "invite", "f"],
            ] {
                let told = try await daemon.baton(arguments)
                #expect(told.text.contains("An earlier version of Baton paired this laptop"), "\(arguments)")
                #expect((told.status == 0) == (arguments == ["status"]), "\(arguments)")
            }
            #expect(try bytes(root) == before)
            let left = try await daemon.baton(["leave"])
            // No other device uses this circle any more, so no device has to remove this device.
            #expect(left.status == 0 && left.text == "left the circle\n")
            #expect(try await daemon.baton(["circle", "create", "--name", "Desk"]).status == 0)
            #expect(try await !daemon.baton(["status"]).text.contains("earlier version"))
            #expect(await daemon.end().log.contains("\"baton leave\""))
            #expect(try DeviceState(encoded: Array(bytes(root))).circle != nil)
        }
    }

    /// Returns the state of a member of a circle whose devices have not proved their keys, from an
    /// earlier version of Baton.
    private func earlierState() throws -> Data {
        struct Left: Decodable {
            struct State: Decodable { var state: String }
            var member: State
        }
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let left = try Data(contentsOf: tests.appending(path: "Vectors/version-1.json"))
        let digits = Array(try JSONDecoder().decode(Left.self, from: left).member.state)
        return Data(
            stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(String(digits[$0...$0 + 1]), radix: 16) })
    }

    @Test("A change that cannot be written is refused, and after a kill the old state is still there")
    func unwritable() async throws {
        try await withDirectory { root in
            try await makeState(root)
            let before = try bytes(root)
            #expect(before.count > 512)
            // No file of the daemon may exceed 512 bytes, so that a write fails in the middle, as
            // on a full disk.
            let daemon = try await RunningDaemon.serving(in: root, limits: "ulimit -f 1")
            let refused = try await daemon.baton(["rename", "Other"])
            #expect(refused.status != 0 && refused.text.contains("cannot be written"))
            #expect(try await daemon.baton(["status"]).text.contains("Desk"))
            #expect(await daemon.end(SIGKILL).signal == SIGKILL)
            #expect(try bytes(root) == before)
            let again = try await RunningDaemon.serving(in: root)
            #expect(try await again.baton(["status"]).text.contains("Desk"))
            #expect(try await again.baton(["rename", "Other"]).status == 0)
            _ = await again.end()
            #expect(try bytes(root) != before)
        }
    }

    @Test("No secret is in a real daemon's log, even at the lowest level, nor in the tool's error messages")
    func log() async throws {
        try await withDirectory { root in
            try await makeState(root)
            let other = root.appending(path: "other")
            try FileManager.default.createDirectory(
                at: other, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
            let desk = try await RunningDaemon.serving(in: root)
            let lap = try await RunningDaemon.serving(in: other, radio: root.appending(path: "radio"))
            let invitation = root.appending(path: "invitation").path
            #expect(try await desk.baton(["circle", "invite", invitation]).status == 0)
            let text = try String(contentsOfFile: invitation, encoding: .utf8)
            #expect(try await lap.baton(["circle", "join", invitation]).status == 0)
            var secrets = [try Invitation(text: text, at: 0).secret]
            var logs = ""
            let code = text.trimmingCharacters(in: .whitespacesAndNewlines)
            for arguments in [
                ["circle", "join", invitation], ["pair", "--code", code], ["pair", "--code", String(code.dropLast(9))],
                ["remove", "nobody"],
            ] {
                let refused = try await lap.baton(arguments)
                #expect(refused.status != 0, "\(arguments[0])")
                logs += refused.text
            }
            for daemon in [desk, lap] {
                logs += await daemon.end().log
                let state = try DeviceState(encoded: Array(bytes(daemon.root)))
                secrets.append(Array(state.identity.certificateKey.rawRepresentation))
                secrets.append(Array(state.identity.signingKey.rawRepresentation))
                secrets.append(Array(state.identity.agreementKey.rawRepresentation))
                secrets.append(try #require(state.circle?.secret.secretBytes))
            }
            #expect(logs.contains("joined the circle"))
            for secret in secrets {
                let hexadecimal = secret.map { String(UInt16($0) + 256, radix: 16).dropFirst() }.joined()
                #expect(!logs.lowercased().contains(hexadecimal))
                #expect(!logs.contains(Data(secret).base64EncodedString().prefix { $0 != "=" }))
                #expect(!logs.contains(secret.map(String.init).joined(separator: ", ")))
            }
            #expect(!logs.contains(text.trimmingCharacters(in: .whitespacesAndNewlines)))
        }
    }
}
