// SPDX-License-Identifier: GPL-3.0-or-later

import BatonTesting
import ChildProcesses
import DBus
import Foundation
import Testing

/// Tests for which programs adapters may speak, with real daemons and real programs.
@Suite(.serialized, .timeLimit(.minutes(5))) struct SpeakerTests {
    private static let adapter = "org.example.Adapter.Music"

    /// Installs an adapter, a player whose program is Python, and another whose program is not.
    private func install(in root: URL) throws {
        let entries = [
            Self.adapter: "Exec=true\nX-Baton-Adapter=org.example.Player;org.example.Other\n",
            "org.example.Player": "Exec=/usr/bin/python3 %U\n", "org.example.Other": "Exec=/bin/cat\n",
        ]
        let directory = RunningDaemon.systemApplications(in: root)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        for (name, lines) in entries {
            try Data("[Desktop Entry]\nType=Application\nName=\(name)\n\(lines)".utf8)
                .write(to: directory.appending(path: "\(name).desktop"))
        }
    }

    /// Runs a closure with a daemon in a circle of its own, and a connection that owns the
    /// adapter's name.
    private func withAdapter(
        _ body: (_ desk: RunningDaemon, _ adapter: DBusConnection) async throws -> Void
    ) async throws {
        try await withDirectory { root in
            try install(in: root)
            let desk = try await RunningDaemon.serving(in: root)
            #expect(try await desk.baton(["circle", "create"]).status == 0)
            let adapter = try await adapter(on: desk)
            try await body(desk, adapter)
            adapter.close()
            let end = await desk.end()
            #expect(end.signal == 0 && end.status == 0, "\(end.log.suffix(4_000))")
        }
    }

    private func adapter(on desk: RunningDaemon) async throws -> DBusConnection {
        let adapter = try await DBusConnection.open(address: desk.bus.address)
        _ = try await adapter.requestName(Self.adapter)
        return adapter
    }

    private func call(
        _ program: DBusConnection, _ interface: String, _ member: String, _ arguments: [DBusValue]
    ) async throws -> DBusValue? {
        try await program.call(
            destination: "org.batonproject.Baton", path: "/org/batonproject/Baton",
            interface: "org.batonproject.Baton1.\(interface)", member: member, arguments: arguments
        ).first
    }

    /// Returns the daemon's verdict on a program: `admitted` or the reason, the app, and the
    /// executable.
    private func judge(
        _ speaker: String, as application: String = "", by adapter: DBusConnection
    ) async throws -> [String] {
        try await verdict(call(adapter, "Adapters", "Judge", [.string(speaker), .string(application)]))
    }

    private func verdict(_ value: DBusValue?) throws -> [String] {
        let verdict = try #require(value?.propertiesValue)
        let isAdmitted = verdict["admitted"]?.boolValue
        #expect(isAdmitted == (verdict["reason"] == nil))
        return [
            isAdmitted == true ? "admitted" : verdict["reason"]?.stringValue ?? "",
            verdict["application"]?.stringValue ?? "",
            verdict["program"]?.stringValue ?? "",
        ]
    }

    private func publish(_ adapter: DBusConnection, _ properties: [String: DBusValue]) async throws -> String {
        let arguments: [DBusValue] = [.string("org.example.song"), .properties(properties)]
        return try await call(adapter, "Activities", "Publish", arguments)?.stringValue ?? ""
    }

    private func refusal(_ body: () async throws -> Void) async -> String {
        let error = await #expect(throws: DBusError.self) { try await body() }
        return "\(error?.name.split(separator: ".").last ?? ""): \(error?.message ?? "")"
    }

    @Test("A program belongs to the app whose entry starts its executable, whatever it claims")
    func applications() async throws {
        try await withAdapter { desk, adapter in
            try await Speaker.with(on: desk.bus) { speaker in
                let python = try Speaker.executable
                #expect(try await judge(speaker.name, by: adapter) == ["admitted", "", python])
                for (claim, application) in [
                    ("org.example.Player", "org.example.Player"), ("org.example.Other", ""), ("org.example.None", ""),
                    ("a/b", ""), ("", ""),
                ] {
                    #expect(try await judge(speaker.name, as: claim, by: adapter) == ["admitted", application, python])
                }
            }
        }
    }

    @Test("Only an adapter gets verdicts on programs, and only by unique names")
    func onlyAdapters() async throws {
        try await withAdapter { desk, adapter in
            let stranger = try await DBusConnection.open(address: desk.bus.address)
            #expect(
                await refusal { _ = try await judge(adapter.uniqueName, by: stranger) }.contains(
                    "NotAllowed: This program is not"))
            let ends = try #require(OwnedDescriptor.socketPair())
            #expect(
                await refusal {
                    _ = try await call(stranger, "Adapters", "JudgeEnd", [.unixFD(ends.0), .string("")])
                }.contains("NotAllowed: This program is not"))
            #expect(
                await refusal { _ = try await publish(stranger, ["speaker": .string(adapter.uniqueName)]) }
                    .contains("NotAllowed: This program is not"))
            #expect(try await judge(stranger.uniqueName, by: adapter).first == "admitted")
            #expect(
                await refusal { _ = try await judge(Self.adapter, by: adapter) }.contains("InvalidArgument: speaker"))
            let boxed = try await Sandbox.run(
                [
                    "gdbus", "call", "--session", "--dest", "org.batonproject.Baton", "--object-path",
                    "/org/batonproject/Baton", "--method", "org.batonproject.Baton1.Adapters.Judge",
                    stranger.uniqueName,
                    "",
                ], information: .application("org.example.Boxed"), bus: desk.bus.address)
            #expect(boxed.status != 0 && boxed.text.contains("NotAllowed") && boxed.text.contains("sandbox"))
            stranger.close()
        }
    }

    @Test("A program in a Flatpak, a program that is a sandbox's proxy, and a program that has ended are not admitted")
    func refused() async throws {
        try await withAdapter { desk, adapter in
            var gone = ""
            try await Speaker.with(on: desk.bus, inside: .application("org.example.Boxed")) { speaker in
                gone = speaker.name
                let claimed = try await judge(speaker.name, as: "org.example.Player", by: adapter)
                #expect(claimed == ["sandboxed", "", try Speaker.executable])
                #expect(
                    await refusal { _ = try await publish(adapter, ["speaker": .string(speaker.name)]) }
                        .contains("NotAllowed: The program runs in a sandbox"))
            }
            #expect(try await judge(gone, by: adapter) == ["gone", "", ""])
            #expect(
                await refusal { _ = try await publish(adapter, ["speaker": .string(gone)]) }
                    .contains("NotAllowed: The program has ended."))
            try await Speaker.with(on: desk.bus) { speaker in
                try await speaker.become(desk.root.appending(path: "xdg-dbus-proxy"))
                #expect(try await judge(speaker.name, by: adapter) == ["sandboxed", "", "xdg-dbus-proxy"])
            }
            let doctor = try await desk.baton(["doctor", "desktop"]).text
            let python = try Speaker.executable
            #expect(
                doctor.contains("run in a sandbox") && doctor.contains("\"\(python)\", \"xdg-dbus-proxy\""), "\(doctor)"
            )
        }
    }

    /// No process can hide from root, and the test may run as root.
    @Test("A program that cannot be inspected is admitted if it has the same root directory as the daemon")
    func undumpable() async throws {
        try await withAdapter { desk, adapter in
            try await Speaker.with(on: desk.bus) { speaker in
                try await speaker.ask("undumpable")
                #expect(try await judge(speaker.name, by: adapter).first == "admitted")
            }
        }
    }

    @Test("A process that has ended is not admitted, and the user can see that")
    func hidden() async throws {
        try await withAdapter { desk, adapter in
            try await Speaker.with(on: desk.bus) { speaker in
                #expect(try await judge(speaker.name, by: adapter).first == "admitted")
                try await speaker.ask("end")
                #expect(try await judge(speaker.name, by: adapter) == ["unknown", "", ""])
                #expect(
                    await refusal { _ = try await publish(adapter, ["speaker": .string(speaker.name)]) }
                        .contains("NotAllowed: Baton cannot find out"))
            }
            let doctor = try await desk.baton(["doctor", "desktop"]).text
            #expect(doctor.contains("cannot identify some programs") && doctor.contains("\"python3\""), "\(doctor)")
        }
    }

    @Test("A program behind the real proxy counts as a sandbox without a name, for the judge and as a caller")
    func realProxy() async throws {
        try await withAdapter { desk, adapter in
            let socket = desk.root.appending(path: "proxy").path
            // The proxy ends when the other end closes its standard output.
            let (ready, sink) = (Pipe(), Pipe())
            let proxy = try await ChildProcess(
                "/usr/bin/xdg-dbus-proxy",
                ["--fd=1", desk.bus.address, socket, "--filter", "--talk=org.batonproject.Baton"],
                input: .handle(sink.fileHandleForReading), output: .handle(ready.fileHandleForWriting))
            #expect(try await ready.fileHandleForReading.upcoming(1).count == 1)
            let inside = try await DBusConnection.open(address: "unix:path=\(socket)")
            #expect(try await judge(inside.uniqueName, by: adapter) == ["sandboxed", "", "xdg-dbus-proxy"])
            #expect(await refusal { _ = try await call(inside, "Circle", "Leave", []) }.contains("NotAllowed"))
            inside.close()
            proxy.send(SIGTERM)
            _ = try await proxy.end
        }
    }

    @Test("An adapter may name only the speaker's own app, and the activity ends when the speaker exits")
    func publishing() async throws {
        try await withAdapter { desk, adapter in
            let ends = try await adapter.signals(matching: DBusMatch(member: "Ended"))
            var song = ""
            try await Speaker.with(on: desk.bus) { speaker in
                let speaker = DBusValue.string(speaker.name)
                #expect(
                    await refusal {
                        _ = try await publish(
                            adapter, ["speaker": speaker, "application": .string("org.example.Other")])
                    }.contains("NotAllowed: The program is not org.example.Other."))
                song = try await publish(adapter, ["speaker": speaker, "application": .string("org.example.Player")])
                #expect(!song.isEmpty)
            }
            for await end in ends {
                #expect(end.arguments.first?.stringValue == song)
                #expect(end.arguments.last?.stringValue?.hasPrefix("The program has ended.") == true)
                break
            }
        }
    }

    @Test("Nothing is fetched from an admitted speaker that has since executed a sandbox's program")
    func judgedAtEachFetch() async throws {
        try await RunningDaemon.withCircle(install: install) { desk, sofa in
            let adapter = try await adapter(on: desk)
            let ends = try await adapter.signals(matching: DBusMatch(member: "Ended"))
            try await Speaker.with(on: desk.bus) { speaker in
                let song = try await publish(
                    adapter,
                    ["speaker": .string(speaker.name), "userInfo": .properties(["secret": .string("not-to-leave")])])
                _ = try await call(adapter, "Activities", "BecomeCurrent", [.string(song)])
                let first = try await sofa.baton(["continue", "--type", "org.example.song", "--wait", "60"])
                #expect(first.status == 0 && first.text.contains("not-to-leave"), "\(first.text)")
                try await speaker.become(desk.root.appending(path: "xdg-dbus-proxy"))
                let second = try await sofa.baton(["continue", "--type", "org.example.song", "--wait", "5"])
                #expect(second.status != 0 && !second.text.contains("not-to-leave"), "\(second.text)")
                for await end in ends {
                    #expect(end.arguments.first?.stringValue == song)
                    #expect(end.arguments.last?.stringValue?.contains("sandbox") == true)
                    break
                }
            }
            adapter.close()
        }
    }

    @Test("For a socket, the program at its other end is judged")
    func socketEnds() async throws {
        try await withAdapter { desk, adapter in
            func judge(_ descriptor: Int32) async throws -> [String] {
                let copy = OwnedDescriptor(adopting: dup(descriptor))
                return try verdict(
                    try await call(adapter, "Adapters", "JudgeEnd", [.unixFD(copy), .string("org.example.Player")]))
            }
            let python = try Speaker.executable
            let listener = try ListeningSocket(at: desk.root.appending(path: "s").path)
            try await Speaker.with(on: desk.bus) { speaker in
                try await speaker.ask("connect \(listener.path)")
                let end = try await listener.accept()
                defer { close(end) }
                #expect(try await judge(end) == ["admitted", "org.example.Player", python])
                try await speaker.ask("disconnect")
                #expect(try await judge(end) == ["gone", "", ""])
            }
            try await Speaker.with(on: desk.bus, inside: .application("org.example.Boxed")) { speaker in
                try await speaker.ask("connect \(listener.path)")
                let end = try await listener.accept()
                defer { close(end) }
                #expect(try await judge(end) == ["sandboxed", "", python])
            }
            let directory = try #require(FileHandle(forReadingAtPath: "/"))
            for descriptor in [listener.descriptor, directory.fileDescriptor] {
                #expect(await refusal { _ = try await judge(descriptor) }.contains("InvalidArgument: socket"))
            }
        }
    }
}
