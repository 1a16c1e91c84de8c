// SPDX-License-Identifier: GPL-3.0-or-later

import BatonTesting
import DBus
import Foundation
import Testing

/// Tests adapters, which speak for apps that do not know Baton, with real daemons.
@Suite(.serialized, .timeLimit(.minutes(3))) struct AdapterTests {
    private static let adapter = "org.example.Adapter.Music"

    /// Installs an adapter, a player of a team, and an app in a sandbox.
    private func install(in root: URL) throws {
        let entries = [
            Self.adapter: "X-Baton-Adapter=org.example.Player;org.example.Boxed;\n",
            "org.example.Player": "X-Baton-Team=example\n", "org.example.Boxed": "X-Flatpak=org.example.Boxed\n",
        ]
        let directory = RunningDaemon.systemApplications(in: root)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        for (name, lines) in entries {
            try Data("[Desktop Entry]\nType=Application\nName=\(name)\nExec=true\n\(lines)".utf8)
                .write(to: directory.appending(path: "\(name).desktop"))
        }
    }

    private func call(_ program: DBusConnection, _ member: String, _ arguments: [DBusValue]) async throws -> String {
        try await program.call(
            destination: "org.batonproject.Baton", path: "/org/batonproject/Baton",
            interface: "org.batonproject.Baton1.Activities", member: member, arguments: arguments
        ).first?.stringValue ?? ""
    }

    private func publish(_ program: DBusConnection, for application: String) async throws -> String {
        try await call(
            program, "Publish",
            [
                .string("org.example.song"),
                .properties(["application": .string(application), "background": .bool(true)]),
            ])
    }

    private func refusal(_ program: DBusConnection, for application: String) async -> String {
        let error = await #expect(throws: DBusError.self) { _ = try await publish(program, for: application) }
        #expect(error?.name == "org.batonproject.Baton1.Error.NotAllowed")
        return error?.message ?? ""
    }

    @Test(
        "Only an adapter that owns its entry's name can publish for another app, and only for apps that the entry lists"
    )
    func onlyAdapters() async throws {
        try await RunningDaemon.withCircle(install: install) { desk, _ in
            let program = try await DBusConnection.open(address: desk.bus.address)
            let stranger = try await DBusConnection.open(address: desk.bus.address)
            #expect(await refusal(program, for: "org.example.Player").contains("not an adapter for org.example.Player"))
            _ = try await program.requestName(Self.adapter)
            #expect(try await !publish(program, for: "org.example.Player").isEmpty)
            #expect(
                await refusal(stranger, for: "org.example.Player").contains("not an adapter for org.example.Player"))
            #expect(await refusal(program, for: "org.example.Other").contains("not an adapter for org.example.Other"))
            let strange = await #expect(throws: DBusError.self) { _ = try await publish(program, for: "a/b") }
            #expect(strange?.name == "org.batonproject.Baton1.Error.InvalidArgument")
            program.close()
            stranger.close()
        }
    }

    @Test("No adapter speaks for an app in a sandbox, and no program in a sandbox speaks for another app")
    func sandboxes() async throws {
        try await RunningDaemon.withCircle(install: install) { desk, _ in
            let program = try await DBusConnection.open(address: desk.bus.address)
            _ = try await program.requestName(Self.adapter)
            #expect(await refusal(program, for: "org.example.Boxed").contains("runs in a sandbox"))
            let boxed = try await Sandbox.run(
                [
                    "gdbus", "call", "--session", "--dest", "org.batonproject.Baton", "--object-path",
                    "/org/batonproject/Baton", "--method", "org.batonproject.Baton1.Activities.Publish",
                    "org.example.boxed.song", "{'application': <'org.example.Player'>}",
                ], information: .application("org.example.Boxed"), bus: desk.bus.address)
            #expect(boxed.status != 0 && boxed.text.contains("NotAllowed") && boxed.text.contains("sandbox"))
            program.close()
        }
    }

    @Test(
        "A withheld item appears in baton status until its adapter leaves or is off, but a sandboxed program does not see it"
    )
    func withheld() async throws {
        try await RunningDaemon.withCircle(install: install) { desk, _ in
            let method = "org.batonproject.Baton1.Adapters.Withhold"
            func withhold(_ program: DBusConnection, _ name: String, _ reason: String) async throws {
                _ = try await program.call(
                    destination: "org.batonproject.Baton", path: "/org/batonproject/Baton",
                    interface: "org.batonproject.Baton1.Adapters", member: "Withhold",
                    arguments: [.string(name), .string(reason)])
            }
            func boxed(_ words: String...) async throws -> String {
                try await Sandbox.run(
                    [
                        "gdbus", "call", "--session", "--dest", "org.batonproject.Baton", "--object-path",
                        "/org/batonproject/Baton", "--method",
                    ] + words, information: .application("org.example.Boxed"), bus: desk.bus.address
                ).text
            }
            func lines() async throws -> [String] {
                try await desk.baton(["status"]).text.split(separator: "\n").map(String.init)
                    .filter { $0.hasPrefix("withheld ") }
            }
            let panelBus = try await DBusConnection.open(address: desk.bus.address)
            let changes = try await panelBus.signals(
                matching: DBusMatch(interface: "org.freedesktop.DBus.Properties", member: "PropertiesChanged"))
            var counts = changes.compactMap { $0.arguments[1].propertiesValue?["Withheld"]?.integer(as: UInt32.self) }
                .makeAsyncIterator()
            let program = try await DBusConnection.open(address: desk.bus.address)
            let error = await #expect(throws: DBusError.self) { try await withhold(program, "report.pdf", "why") }
            #expect(error?.message.contains("This program is not an adapter") == true)
            _ = try await program.requestName(Self.adapter)
            try await withhold(program, "report.pdf", "it is in a folder for temporary files")
            #expect(try await lines() == ["withheld report.pdf is not offered: it is in a folder for temporary files"])
            let refusal = try await boxed(method, "report.pdf", "why")
            #expect(refusal.contains("NotAllowed") && refusal.contains("sandbox"), "\(refusal)")
            #expect(try await !boxed("org.batonproject.Baton1.Daemon.Status").contains("report.pdf"))
            func panel() async throws -> String {
                try await boxed("org.freedesktop.DBus.Properties.GetAll", "org.batonproject.Baton1.Panel")
            }
            while let count = await counts.next(), count != 1 {}
            let shown = try await panel()
            #expect(shown.contains("'Withheld': <uint32 1>") && !shown.contains("report.pdf"))
            #expect(try await desk.baton(["adapters", "off"]).status == 0)
            #expect(try await lines().isEmpty)
            #expect(try await desk.baton(["adapters", "on"]).status == 0)
            #expect(try await lines().count == 1)
            program.close()
            try await eventually("it is forgotten") { try await lines().isEmpty }
            panelBus.close()
        }
    }

    @Test(
        "An adapter in the user's directory needs permission, also after each change, and any adapter can be switched off"
    )
    func ofTheUser() async throws {
        let name = "org.example.Adapter.Mine"
        try await withDirectory { root in
            let directory = root.appending(path: ".local/share/applications")
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            func install(_ comment: String) throws {
                let entry =
                    "[Desktop Entry]\nType=Application\nName=Mine\nExec=true\nX-Baton-Adapter=org.example.Player;\n# \(comment)"
                try Data(entry.utf8).write(to: directory.appending(path: "\(name).desktop"), options: .atomic)
            }
            try install("one")
            let daemon = try await RunningDaemon.serving(in: root)
            let program = try await DBusConnection.open(address: daemon.bus.address)
            _ = try await program.requestName(name)
            let changes = try await program.signals(
                matching: DBusMatch(interface: "org.freedesktop.DBus.Properties", member: "PropertiesChanged"))
            var active = changes.compactMap { $0.arguments[1].propertiesValue?["Active"]?.stringsValue }
                .makeAsyncIterator()
            func state() async throws -> String { try await daemon.baton(["adapters"]).text }
            try await eventually("the adapter is known") { try await !state().contains("no adapter") }
            #expect(try await state().hasPrefix("pending  \(name)"))
            #expect(try await daemon.baton(["status"]).text.contains("baton adapters"))
            #expect(await refusal(program, for: "org.example.Player").contains("not an adapter for org.example.Player"))

            #expect(try await daemon.baton(["adapters", "allow", "mine"]).text.hasPrefix("on  \(name)"))
            #expect(await active.next() == [name])
            #expect(try await !publish(program, for: "org.example.Player").isEmpty)
            try install("two")
            #expect(await active.next() == [])
            #expect(try await state().hasPrefix("pending"))
            #expect(await refusal(program, for: "org.example.Player").contains("not an adapter for org.example.Player"))
            #expect(try await daemon.baton(["adapters", "allow", name]).text.hasPrefix("on"))
            #expect(await active.next() == [name])

            #expect(try await daemon.baton(["adapters", "off"]).text.hasPrefix("off  \(name)"))
            #expect(await active.next() == [])
            #expect(await refusal(program, for: "org.example.Player").contains("not an adapter for org.example.Player"))
            let own = try await daemon.baton(["adapters", "on", "mine"])
            #expect(
                own.status == 0 && own.text.contains("all adapters are off: run 'baton adapters on'"), "\(own.text)")
            #expect(try await daemon.baton(["adapters", "on"]).text.hasPrefix("on"))
            #expect(try await daemon.baton(["adapters", "off", "mine"]).text.hasPrefix("off"))
            #expect(try await daemon.baton(["adapters", "refuse", "mine"]).text.hasPrefix("refused"))
            let refused = try await daemon.baton(["adapters", "on", "mine"])
            #expect(refused.text.contains("run 'baton adapters allow \(name)'"), "\(refused.text)")
            _ = try await daemon.baton(["adapters", "off", "mine"])
            let unknown = try await daemon.baton(["adapters", "allow", "theirs"])
            #expect(unknown.status == 67 && unknown.text.contains("no adapter 'theirs'"), "\(unknown.text)")
            let file = try String(contentsOf: root.appending(path: ".config/baton/baton.conf"), encoding: .utf8)
            #expect(file == "adapters = on\nadapters.\(name) = off\n")
            program.close()
            _ = await daemon.end()
        }
    }

    @Test("An adapter's activity has no team unless it names one, and a rule about the app hides it")
    func teamAndRules() async throws {
        try await RunningDaemon.withCircle(install: install) { desk, sofa in
            let program = try await DBusConnection.open(address: desk.bus.address)
            _ = try await program.requestName(Self.adapter)
            let song = try await publish(program, for: "org.example.Player")
            _ = try await call(program, "BecomeCurrent", [.string(song)])
            #expect(try await sofa.baton(["nearby", "--wait", "60"]).text.contains("org.example.song"))
            let reader = try await DBusConnection.open(address: sofa.bus.address)
            let offers = try await reader.call(
                destination: "org.batonproject.Baton", path: "/org/batonproject/Baton",
                interface: "org.batonproject.Baton1.Offers", member: "List")
            #expect(offers.first?.arrayValue?.first?.propertiesValue?["team"]?.stringValue == "")
            reader.close()
            let warnings = try await program.signals(matching: DBusMatch(member: "Warning"))
            #expect(try await desk.baton(["rules", "add", "hide app=org.example.Player"]).status == 0)
            for await warning in warnings {
                #expect(warning.arguments.first?.stringValue == song)
                #expect(warning.arguments.last?.stringValue?.contains("hide app=org.example.Player") == true)
                break
            }
            program.close()
        }
    }
}
