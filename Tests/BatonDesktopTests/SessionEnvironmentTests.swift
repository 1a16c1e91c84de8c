// SPDX-License-Identifier: Apache-2.0

import BatonBus
import BatonTesting
import DBus
import DesktopEntries
import Foundation
import Synchronization
import Testing

@testable import BatonDesktop

/// Tests the session's variables of a unit. The test plays the unit's manager. Scripts/user-manager
/// tests this with a real manager.
@Suite(.timeLimit(.minutes(1))) struct SessionEnvironmentTests {
    private let start = SessionVariables(["PATH": "/start", "LANG": "C"])

    private func withBus(
        _ body: @Sendable (_ connection: DBusConnection, _ address: String) async throws -> Void
    ) async throws {
        try await PrivateBus.with { bus in
            let connection = try await DBusConnection.open(address: bus.address)
            try await body(connection, bus.address)
            connection.close()
        }
    }

    @Test("A unit has the present variables of its manager, not those of its own start")
    func managersVariables() async throws {
        try await withBus { connection, address in
            let manager = try await FakeManager(bus: address, environment: ["PATH=/usr/bin", "HOME=/elsewhere"])
            let session = SessionEnvironment(start, manager: connection, patience: .seconds(50))
            #expect(session.latest == start)
            #expect(await session.variables().values == ["PATH": "/usr/bin"])
            manager.set(["PATH=/home/ada/.local/bin:/usr/bin", "XDG_CURRENT_DESKTOP=GNOME", "LANGUAGE=a=b", "broken"])
            let values = [
                "PATH": "/home/ada/.local/bin:/usr/bin", "XDG_CURRENT_DESKTOP": "GNOME", "LANGUAGE": "a=b",
            ]
            #expect(await session.variables().values == values)
            #expect(session.latest.values == values)
            manager.close()
        }
    }

    @Test("Without a manager, the process's own variables are used, and a failing manager is not asked for a while")
    func managerFails() async throws {
        try await withBus { connection, address in
            let uptime = Mutex(Duration.zero)
            let clock = DesktopClock(uptime: { uptime.withLock { $0 } }, sleep: { _ in })
            let session = SessionEnvironment(start, manager: connection, clock: clock, patience: .seconds(50))
            #expect(await session.variables() == start)
            let manager = try await FakeManager(bus: address, environment: ["PATH=/late"])
            #expect(await session.variables() == start && manager.questions == 0)
            uptime.withLock { $0 += SessionEnvironment.pause }
            #expect(await session.variables().values == ["PATH": "/late"])
            manager.set(nil)
            #expect(await session.variables().values == ["PATH": "/late"])
            manager.close()
        }
    }

    @Test("A process that is not a unit does not ask the manager")
    func noUnit() async throws {
        try await withBus { connection, address in
            let manager = try await FakeManager(bus: address, environment: ["PATH=/manager"])
            let session = SessionEnvironment.ofProcess(on: connection)
            #expect(await session.variables() == .ofProcess)
            #expect(manager.questions == 0)
            manager.close()
        }
    }

    @Test("A unit is a process that a user's manager has started itself")
    func units() {
        let unit = ["MANAGERPID": "7", "SYSTEMD_EXEC_PID": "42"]
        #expect(SessionEnvironment.isUnit(unit, processID: 42))
        // A program that a unit has started, such as a program in a terminal, is not a unit itself.
        #expect(!SessionEnvironment.isUnit(unit, processID: 43))
        // A unit of the system's manager does not count.
        #expect(!SessionEnvironment.isUnit(["SYSTEMD_EXEC_PID": "42"], processID: 42))
        #expect(!SessionEnvironment.isUnit([:], processID: 42))
    }

    @Test("Apps and the desktop's defaults are searched in the session's present directories")
    func appsMove() async throws {
        let root = FileManager.default.temporaryDirectory.appending(path: "baton-apps-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: root) }
        let directory = root.appending(path: "share/applications")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let app = "[Desktop Entry]\nType=Application\nExec=/bin/true\n"
        for (name, text) in [
            "org.example.Alpha.desktop": "\(app)Name=Alpha\nName[de]=Alfa\n",
            "org.example.Beta.desktop": "\(app)Name=Beta\n",
            "mimeapps.list": "[Default Applications]\napplication/x-baton=org.example.Alpha.desktop\n",
            "gnome-mimeapps.list": "[Default Applications]\napplication/x-baton=org.example.Beta.desktop\n",
        ] {
            try Data(text.utf8).write(to: directory.appending(path: name))
        }
        try await withBus { connection, address in
            let manager = try await FakeManager(bus: address, environment: ["XDG_DATA_DIRS=/nonexistent"])
            let catalogue = AppCatalogue(
                session: SessionEnvironment(
                    SessionVariables([:], start: [:]), manager: connection, patience: .seconds(50)))
            let (indexes, sink) = AsyncStream.makeStream(of: DesktopEntryIndex.self)
            let watching = Task { await catalogue.watch { sink.yield($0) } }
            defer { watching.cancel() }
            var seen = indexes.makeAsyncIterator()
            #expect(await seen.next() != nil)
            _ = await catalogue.askSession()
            #expect(await catalogue.entry("org.example.Alpha") == nil)
            manager.set(["XDG_DATA_DIRS=\(root.path)/share", "LANG=de_DE.UTF-8"])
            #expect(await catalogue.askSession())
            #expect(await catalogue.entry("org.example.Alpha")?.name == "Alfa")
            #expect(
                await catalogue.index.mimeDefaults.application(for: "application/x-baton") == "org.example.Alpha")
            manager.set(["XDG_DATA_DIRS=\(root.path)/share", "XDG_CURRENT_DESKTOP=ubuntu:GNOME"])
            #expect(await catalogue.askSession())
            #expect(await catalogue.entry("org.example.Alpha")?.name == "Alpha")
            #expect(await catalogue.index.mimeDefaults.application(for: "application/x-baton") == "org.example.Beta")
            #expect(await !catalogue.askSession())
            // These directories are watched, too.
            try Data("\(app)Name=Gamma\n".utf8).write(to: directory.appending(path: "org.example.Gamma.desktop"))
            while let index = await seen.next() { if index.entries["org.example.Gamma"] != nil { break } }
            manager.close()
        }
    }

    @Test("An offer gets the app that the session has when it arrives, or when it is requested later")
    func offersFollow() async throws {
        try await HandoverWorld.with { world in
            let directory = world.root.appending(path: "share/applications")
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            let entry =
                "[Desktop Entry]\nType=Application\nExec=/bin/true\nName=Notes\nX-Baton-ActivityTypes=\(HandoverWorld.type)\n"
            try Data(entry.utf8).write(to: directory.appending(path: "\(HandoverWorld.identifier).desktop"))
            let manager = try await FakeManager(bus: world.bus, environment: ["XDG_DATA_DIRS=/nonexistent"])
            let host = FakeHost(journal: world.journal)
            let desktop = Desktop(
                bus: world.connection, systemBus: nil, host: host,
                settingsFile: SettingsFile(world.root.appending(path: "baton.conf")),
                session: SessionEnvironment(
                    SessionVariables([:], start: [:]), manager: world.connection, patience: .seconds(50)),
                grants: GrantStore(), logger: host.logger)
            let offer = OfferSummary(
                offer: "offer-1", device: "0a1b2c3d", deviceName: "desk", team: "", type: HandoverWorld.type)
            #expect(await desktop.offered(offer).application == nil)
            manager.set(["XDG_DATA_DIRS=\(world.root.path)/share"])
            #expect(await desktop.offered(offer).application == HandoverWorld.identifier)
            manager.set(["XDG_DATA_DIRS=/nonexistent"])
            await desktop.askSession()
            #expect(await desktop.offers["offer-1"]?.application == nil)
            manager.close()
        }
    }
}
