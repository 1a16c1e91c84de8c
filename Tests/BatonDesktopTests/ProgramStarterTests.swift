// SPDX-License-Identifier: Apache-2.0

import BatonBus
import BatonTesting
import DBus
import DesktopEntries
import Foundation
import Synchronization
import Testing

@testable import BatonDesktop

/// Tests how programs are started as services of the user's systemd, which the test plays.
/// Scripts/user-manager tests this with a real systemd.
@Suite(.timeLimit(.minutes(1))) struct ProgramStarterTests {
    /// A fake systemd manager. It records the units that it was asked to start, with their names
    /// and properties.
    private final class Manager: Sendable {
        let started = Mutex<[(unit: String, properties: [String: DBusValue])]>([])
        private let subscribers = Mutex<Set<String>>([])

        init(on connection: DBusConnection) async throws {
            let subscribe = DBusMethod("Subscribe") { [weak self] call in
                let isNew = self?.subscribers.withLock { $0.insert(call.sender).inserted } ?? false
                guard isNew else {
                    throw DBusError(
                        name: "org.freedesktop.systemd1.AlreadySubscribed", message: "Client is already subscribed.")
                }
                return []
            }
            let start = DBusMethod(
                "StartTransientUnit",
                inputs: [
                    DBusArgument("name", "s"), DBusArgument("mode", "s"), DBusArgument("properties", "a(sv)"),
                    DBusArgument("aux", "a(sa(sv))"),
                ], outputs: [DBusArgument("job", "o")]
            ) { [weak self] call in
                var properties: [String: DBusValue] = [:]
                for case .structure(let pair) in call.arguments[2].arrayValue ?? [] where pair.count == 2 {
                    guard case .variant(let value) = pair[1] else { continue }
                    properties[pair[0].stringValue ?? ""] = value
                }
                let unit = call.arguments[0].stringValue ?? ""
                self?.started.withLock { $0.append((unit, properties)) }
                return [.objectPath("/org/freedesktop/systemd1/job/1")]
            }
            try connection.export(
                DBusObject(interfaces: [
                    DBusInterface("org.freedesktop.systemd1.Manager", methods: [subscribe, start])
                ]), at: "/org/freedesktop/systemd1")
            _ = try await connection.requestName("org.freedesktop.systemd1")
        }
    }

    @Test("Programs become services with numbered names and unchanged arguments")
    func programsAreServices() async throws {
        try await PrivateBus.with { bus in
            let systemd = try await DBusConnection.open(address: bus.address)
            let manager = try await Manager(on: systemd)
            let connection = try await DBusConnection.open(address: bus.address)
            let starter = ProgramStarter(bus: connection)
            for argument in ["$$", "${HOME}"] {
                _ = try await starter.start(
                    ["/bin/true", argument], identifier: "org.example.Notes", directory: nil,
                    environment: ["XDG_ACTIVATION_TOKEN": "token-1"])
            }
            let started = manager.started.withLock { $0 }
            #expect(started.count == 2 && Set(started.map(\.unit)).count == 2)
            for (start, argument) in zip(started, ["$$", "${HOME}"]) {
                #expect(start.unit.hasPrefix("app-org.example.Notes@") && start.unit.hasSuffix(".service"))
                let command = DBusValue.structure([
                    .string("/bin/true"), .strings(["/bin/true", argument]), .strings(["no-env-expand"]),
                ])
                #expect(start.properties["ExecStartEx"] == .array(elementSignature: "(sasas)", [command]))
                #expect(start.properties["Environment"]?.stringsValue == ["XDG_ACTIVATION_TOKEN=token-1"])
            }
            connection.close()
            systemd.close()
        }
    }

    @Test("Without systemd a program is found with the session's PATH, and has the session's variables")
    func childOfTheSession() async throws {
        try await withDirectory { root in
            let program = root.appending(path: "of-the-session")
            try await writeScript("echo $XDG_CURRENT_DESKTOP $LANG $TOKEN >\"$1\"", to: program)
            try await PrivateBus.with { bus in
                let connection = try await DBusConnection.open(address: bus.address)
                let variables = SessionVariables([
                    "PATH": "/nonexistent:\(root.path):/bin", "XDG_CURRENT_DESKTOP": "GNOME", "LANG": "de",
                ])
                let starter = ProgramStarter(bus: connection, session: SessionEnvironment(variables))
                #expect(await starter.has("of-the-session"))
                let said = root.appending(path: "said")
                let started = try await starter.start(
                    ["of-the-session", said.path], identifier: "org.example.Notes", directory: nil,
                    environment: ["TOKEN": "token-1"])
                for await end in started.ends { #expect(end == .well) }
                #expect(try String(contentsOf: said, encoding: .utf8) == "GNOME de token-1\n")
                connection.close()
            }
        }
    }
}
