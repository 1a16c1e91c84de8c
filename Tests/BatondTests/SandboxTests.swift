// SPDX-License-Identifier: GPL-3.0-or-later

import BatonTesting
import Foundation
import Testing

/// Sandboxed apps and real daemons.
@Suite(.serialized, .timeLimit(.minutes(3))) struct SandboxTests {
    private let letters = Sandbox.Information.application("org.example.Letters")
    private let other = Sandbox.Information.application("org.example.Other")

    /// Installs two apps for a daemon's user: Letters, of a team, continues letters; Other, of none, too.
    private func install(in root: URL) throws {
        let directory = root.appending(path: ".local/share/applications")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        for (name, team) in [("Letters", "X-Baton-Team=example\n"), ("Other", "")] {
            let entry =
                "[Desktop Entry]\nType=Application\nName=\(name)\nExec=true\nX-Baton-ActivityTypes=org.example.letter;\n"
            try Data((entry + team).utf8).write(to: directory.appending(path: "org.example.\(name).desktop"))
        }
    }

    @Test("A sandboxed app cannot claim a team that is not its entry's, nor manage the circle")
    func claims() async throws {
        try await RunningDaemon.withRoot { root in
            try install(in: root)
            let daemon = try await RunningDaemon.start(in: root)
            #expect(await daemon.isServing())
            #expect(try await daemon.baton(["circle", "create"]).status == 0)
            let baton = try Sandbox.built("baton")
            for (team, app) in [("rivals", letters), ("example", other), ("", letters)] {
                let refused = try await Sandbox.run(
                    [baton, "publish", "--type", "org.example.letter", "--team", team], information: app,
                    bus: daemon.bus.address)
                #expect(refused.status != 0 && refused.text.contains("sandboxed"), "\(refused.text)")
            }
            for arguments in [["circle", "invite", "f"], ["rename", "Mine"], ["leave"], ["pair"]] {
                let refused = try await Sandbox.run([baton] + arguments, information: letters, bus: daemon.bus.address)
                #expect(refused.status != 0 && refused.text.contains("sandboxed"), "\(refused.text)")
            }
            #expect(try await daemon.baton(["rename", "Mine"]).status == 0)
            _ = await daemon.end()
        }
    }

    @Test("A sandboxed app names no file of the user's to the desktop's shell; its picture's bytes are shown")
    func thumbnails() async throws {
        try await RunningDaemon.withRoot { root in
            try install(in: root)
            let daemon = try await RunningDaemon.start(in: root)
            #expect(await daemon.isServing())
            func call(_ method: String, _ arguments: [String], _ program: Sandbox.Information) async throws -> String {
                let command = [
                    "gdbus", "call", "--session", "--dest", "org.batonproject.Baton", "--object-path",
                    "/org/batonproject/Baton", "--method", "org.batonproject.Baton1.Saved.\(method)",
                ]
                return try await Sandbox.run(command + arguments, information: program, bus: daemon.bus.address).text
            }
            let attributes = "<{'thumbnailURL': <'file:///etc/passwd'>, 'thumbnailData': <[byte 7]>}>"
            for (program, options, isSandboxed) in [
                (letters, "{}", true), (Sandbox.Information.absent, "{'application': <'org.example.Free'>}", false),
            ] {
                let saved = try await call(
                    "Save", ["org.example.letter", "{'contentAttributeSet': \(attributes)}", options], program)
                #expect(saved.contains("()"), "\(saved)")
                let found = try await call("Find", ["", options], program)
                #expect(found.contains("thumbnailData"), "\(found)")
                #expect(found.contains("passwd") == !isSandboxed, "\(found)")
            }
            let far = "{'contentAttributeSet': <{'thumbnailURL': <'file://evil.example/a.png'>}>}"
            #expect(try await call("Save", ["t", far, "{'application': <'a'>}"], .absent).contains("on this device"))
            let long = String(repeating: "a ", count: 3_000)
            #expect(try await call("Find", [long, "{}"], letters).contains("at most 4096 bytes"))
            _ = await daemon.end()
        }
    }

    @Test("A sandboxed app publishes for its team unasked, and only a sandboxed app of that team continues it")
    func teams() async throws {
        try await RunningDaemon.withRoot { root in
            let second = root.appending(path: "second")
            try FileManager.default.createDirectory(
                at: second, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
            for root in [root, second] { try install(in: root) }
            let desk = try await RunningDaemon.start(in: root)
            let sofa = try await RunningDaemon.start(in: second, radio: root.appending(path: "radio"))
            for daemon in [desk, sofa] { #expect(await daemon.isServing()) }
            #expect(try await desk.baton(["circle", "create"]).status == 0)
            let invitation = root.appending(path: "invitation").path
            #expect(try await desk.baton(["circle", "invite", invitation]).status == 0)
            #expect(try await sofa.baton(["circle", "join", invitation]).status == 0)

            let baton = try Sandbox.built("baton")
            async let published = Sandbox.run(
                [baton, "publish", "--type", "org.example.letter", "--info", "to=Ada", "--once"], information: letters,
                bus: desk.bus.address)
            let ask = [baton, "continue", "--type", "org.example.letter", "--wait", "60"]
            let refused = try await Sandbox.run(ask, information: other, bus: sofa.bus.address)
            #expect(refused.status != 0 && refused.text.contains("declares"), "\(refused.text)")
            let continued = try await Sandbox.run(ask, information: letters, bus: sofa.bus.address)
            #expect(continued.status == 0 && continued.text.contains("Ada"), "\(continued.text)")
            #expect(try await published.status == 0)
            _ = await sofa.end()
            _ = await desk.end()
        }
    }
}
