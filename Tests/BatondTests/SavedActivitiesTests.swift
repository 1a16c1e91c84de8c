// SPDX-License-Identifier: GPL-3.0-or-later

import BatonTesting
import DBus
import Foundation
import Glibc
import Testing

/// Tests the activities that real daemons save for searches.
@Suite(.serialized, .timeLimit(.minutes(5))) struct SavedActivitiesTests {
    private let name = "org.batonproject.Baton"
    private let path = "/org/batonproject/Baton"

    private func call(
        _ daemon: RunningDaemon, _ member: String, _ arguments: [DBusValue]
    ) async throws -> [DBusValue] {
        let connection = try await DBusConnection.open(address: daemon.bus.address)
        defer { connection.close() }
        return try await connection.call(
            destination: name, path: path, interface: name + "1.Saved", member: member, arguments: arguments)
    }

    private func search(_ daemon: RunningDaemon, _ word: String) async throws -> [String] {
        let connection = try await DBusConnection.open(address: daemon.bus.address)
        defer { connection.close() }
        return try await connection.call(
            destination: name, path: path + "/SearchProvider", interface: "org.gnome.Shell.SearchProvider2",
            member: "GetInitialResultSet", arguments: [.strings([word])]
        ).first?.stringsValue ?? []
    }

    private func save(
        _ daemon: RunningDaemon, _ title: String, type: String = "org.example.letter", _ options: [String: DBusValue]
    ) async throws {
        let properties = DBusValue.properties(["title": .string(title), "persistentIdentifier": .string(title)])
        _ = try await call(daemon, "Save", [.string(type), properties, .properties(options)])
    }

    @Test("The desktop's search finds a saved activity, even after the daemon was restarted, until the app deletes it")
    func kept() async throws {
        try await withDirectory { root in
            let app: [String: DBusValue] = ["application": .string("org.example.Letters")]
            let first = try await RunningDaemon.serving(in: root)
            try await save(first, "Ada", app)
            try await save(first, "Grace", app)
            #expect(try await search(first, "ada").count == 1)
            #expect(await first.end().signal == 0)
            let file = RunningDaemon.state(in: root).appending(path: "saved").path
            let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
            #expect(mode == 0o600)

            let second = try await RunningDaemon.serving(in: root)
            #expect(try await search(second, "grace").count == 1)
            _ = try await call(second, "Delete", [.strings(["Ada"]), .properties(app)])
            #expect(try await search(second, "ada").isEmpty)
            // The activity is deleted from the file, whatever happens next.
            #expect(await second.end(SIGKILL).signal == SIGKILL)
            #expect(try !String(contentsOfFile: file, encoding: .utf8).contains("Ada"))
        }
    }

    @Test("An unknown app has to give its id")
    func unknown() async throws {
        try await withDirectory { root in
            let daemon = try await RunningDaemon.serving(in: root)
            do {
                try await save(daemon, "Ada", [:])
                Issue.record("nobody's activity was kept")
            } catch let error as DBusError {
                #expect(
                    error.name.hasSuffix(".InvalidArgument")
                        && error.message.hasPrefix("Baton cannot find out which app this is."))
            }
            _ = await daemon.end()
        }
    }

    @Test("A sandboxed app saves activities under its own id, and reaches no other app's")
    func sandboxed() async throws {
        try await withDirectory { root in
            let daemon = try await RunningDaemon.serving(in: root)
            func run(_ member: String, _ arguments: [String]) async throws -> (status: Int32, text: String) {
                try await Sandbox.run(
                    [
                        "gdbus", "call", "--session", "--dest", name, "--object-path", path, "--method",
                        name + "1.Saved." + member,
                    ] + arguments, information: .application("org.example.Letters"), bus: daemon.bus.address)
            }
            try await save(daemon, "Theirs", ["application": .string("org.example.Other")])
            let foreign = try await run("Save", ["org.example.letter", "{'title': <'Mine'>}", "{}"])
            #expect(foreign.status != 0 && foreign.text.contains("NotAllowed"), "\(foreign.text)")
            let saved = try await run("Save", ["org.example.letters.write", "{'title': <'Mine'>}", "{}"])
            #expect(saved.status == 0, "\(saved.text)")
            let found = try await run("Find", ["", "{}"])
            #expect(found.text.contains("Mine") && !found.text.contains("Theirs"), "\(found.text)")
            #expect(try await search(daemon, "mine").first?.hasPrefix("org.example.Letters/") == true)
            for (member, arguments) in [("Find", [""]), ("DeleteAll", []), ("Delete", ["['Theirs']"])] {
                let refused = try await run(member, arguments + ["{'application': <'org.example.Other'>}"])
                #expect(refused.status != 0 && refused.text.contains("NotAllowed"), "\(refused.text)")
            }
            #expect(try await search(daemon, "theirs").count == 1)
            _ = await daemon.end()
        }
    }

    @Test(
        "A sandboxed program that has the name of an app outside the sandbox does not get that app's search results",
        arguments: [true, false])
    func nameOfAnotherApp(isSandboxed: Bool) async throws {
        let app = "org.example.Free"
        try await withDirectory { root in
            let applications = root.appending(path: ".local/share/applications")
            try FileManager.default.createDirectory(at: applications, withIntermediateDirectories: true)
            try Data("[Desktop Entry]\nType=Application\nName=Free\nExec=true\n".utf8)
                .write(to: applications.appending(path: "\(app).desktop"))
            let daemon = try await RunningDaemon.serving(in: root)
            try await save(daemon, "Ada", type: "org.example.note", ["application": .string(app)])
            let report = root.appending(path: "report")
            let connection = try await DBusConnection.open(address: daemon.bus.address)
            let owners = try await connection.nameOwnerChanges(of: app)
            async let program = Sandbox.run(
                [try Sandbox.built("app-program"), app, report.path],
                information: isSandboxed ? .application("org.example.Other") : .absent, bus: daemon.bus.address)
            for await change in owners where change.newOwner != nil { break }
            let found = try await search(daemon, "ada")
            let opened: DBusError?
            do {
                _ = try await connection.call(
                    destination: name, path: path + "/SearchProvider", interface: "org.gnome.Shell.SearchProvider2",
                    member: "ActivateResult", arguments: [.string(try #require(found.first)), .strings([]), .uint32(0)])
                opened = nil
            } catch let error as DBusError { opened = error }
            connection.close()
            #expect(
                (opened?.message.contains("runs in a sandbox") == true) == isSandboxed, "\(String(describing: opened))")
            #expect(try String(contentsOf: report, encoding: .utf8).contains("continue Ada") != isSandboxed)
            _ = await daemon.end()
            _ = try await program
        }
    }
}
