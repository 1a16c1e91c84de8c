// SPDX-License-Identifier: GPL-3.0-or-later

import BatonTesting
import Foundation
import Testing

/// Tests real daemons with sandboxed apps.
@Suite(.serialized, .timeLimit(.minutes(3))) struct SandboxTests {
    private let letters = Sandbox.Information.application("org.example.Letters")
    private let other = Sandbox.Information.application("org.example.Other")

    /// Installs two Flatpaks for a daemon's user, as Flatpak does. The app Letters has a team, and
    /// Other has none. Both continue letters.
    private func install(in root: URL) throws {
        let directory = root.appending(path: ".local/share/applications")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        for (name, team) in [("Letters", "X-Baton-Team=example\n"), ("Other", "")] {
            let entry = """
                [Desktop Entry]
                Type=Application
                Name=\(name)
                Exec=true
                X-Flatpak=org.example.\(name)
                X-Baton-ActivityTypes=org.example.letter;org.example.\(name).own;

                """
            try Data((entry + team).utf8).write(to: directory.appending(path: "org.example.\(name).desktop"))
        }
    }

    /// Runs a closure with two daemons of one circle, both of which have the apps.
    private func withDaemons(_ body: (_ desk: RunningDaemon, _ sofa: RunningDaemon) async throws -> Void) async throws {
        try await RunningDaemon.withCircle(install: install, body)
    }

    private func run(
        _ arguments: [String], in app: Sandbox.Information, on daemon: RunningDaemon
    ) async throws -> (status: Int32, text: String) {
        try await Sandbox.run([try Sandbox.built("baton")] + arguments, information: app, bus: daemon.bus.address)
    }

    @Test("A sandboxed app cannot claim a team that is not its entry's, nor manage the circle")
    func claims() async throws {
        try await withDirectory { root in
            try install(in: root)
            let daemon = try await RunningDaemon.serving(in: root)
            #expect(try await daemon.baton(["circle", "create"]).status == 0)
            let baton = try Sandbox.built("baton")
            for (team, app) in [("rivals", letters), ("example", other), ("", letters)] {
                let refused = try await Sandbox.run(
                    [baton, "publish", "--type", "org.example.letter", "--team", team], information: app,
                    bus: daemon.bus.address)
                #expect(refused.status != 0 && refused.text.contains("in a sandbox"), "\(refused.text)")
            }
            for arguments in [["circle", "invite", "f"], ["rename", "Mine"], ["leave"], ["pair"]] {
                let refused = try await Sandbox.run([baton] + arguments, information: letters, bus: daemon.bus.address)
                #expect(refused.status != 0 && refused.text.contains("in a sandbox"), "\(refused.text)")
            }
            #expect(try await daemon.baton(["rename", "Mine"]).status == 0)
            _ = await daemon.end()
        }
    }

    @Test("A sandboxed app cannot make the desktop's shell show a file of the user, only the bytes of its own picture")
    func thumbnails() async throws {
        try await withDirectory { root in
            try install(in: root)
            let daemon = try await RunningDaemon.serving(in: root)
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
                    "Save", ["org.example.Letters.own", "{'contentAttributeSet': \(attributes)}", options], program)
                #expect(saved.contains("()"), "\(saved)")
                let found = try await call("Find", ["", options], program)
                #expect(found.contains("thumbnailData"), "\(found)")
                #expect(found.contains("passwd") == !isSandboxed, "\(found)")
            }
            let far = "{'contentAttributeSet': <{'thumbnailURL': <'file://evil.example/a.png'>}>}"
            #expect(try await call("Save", ["t", far, "{'application': <'a'>}"], .absent).contains("such as file:///"))
            let long = String(repeating: "a ", count: 3_000)
            #expect(try await call("Find", [long, "{}"], letters).contains("0 to 4096 bytes"))
            _ = await daemon.end()
        }
    }

    @Test("Without a grant a sandboxed app publishes and continues its own types, in no team")
    func ownTypes() async throws {
        try await withDaemons { desk, sofa in
            let own = "org.example.Letters.own"
            async let published = run(["publish", "--type", own, "--info", "to=Ada", "--once"], in: letters, on: desk)
            let ask = ["continue", "--type", own, "--wait", "60"]
            let refused = try await run(ask, in: other, on: sofa)
            #expect(refused.status != 0 && refused.text.contains("may continue only its own"), "\(refused.text)")
            let continued = try await run(ask, in: letters, on: sofa)
            #expect(continued.status == 0 && continued.text.contains("Ada"), "\(continued.text)")
            #expect(try await published.status == 0)
        }
    }

    @Test("An answer that names no type applies to all of an app's listed requests, and earlier answers stay")
    func answersWithoutType() async throws {
        try await withDirectory { root in
            let directory = root.appending(path: ".local/share/applications")
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            let entry = """
                [Desktop Entry]
                Type=Application
                Name=Fl
                Exec=true
                X-Flatpak=org.example.Fl
                X-Baton-ActivityTypes=org.other.x;org.other.y;

                """
            try Data(entry.utf8).write(to: directory.appending(path: "org.example.Fl.desktop"))
            let daemon = try await RunningDaemon.serving(in: root)
            func answer(_ word: String, _ types: String...) async throws -> [String] {
                let result = try await daemon.baton(["grants", word, "org.example.Fl"] + types)
                #expect(result.status == 0, "\(result.text)")
                return result.text.split(separator: "\n").map(String.init)
            }
            func lines(_ state: String, _ types: String...) -> [String] {
                types.map { "\(state)  flatpak:org.example.Fl  \($0)" }
            }
            #expect(try await answer("refuse", "org.other.x") == lines("refused", "org.other.x"))
            #expect(Set(try await answer("allow")) == Set(lines("granted", "org.other.x", "org.other.y")))
            #expect(try await answer("allow") == lines("granted", "org.other.x org.other.y"))
            #expect(try await answer("allow", "org.other.x") == lines("granted", "org.other.x"))
            #expect(try await answer("refuse", "org.other.y") == lines("refused", "org.other.y"))
            #expect(Set(try await answer("refuse")) == Set(lines("refused", "org.other.x", "org.other.y")))
            #expect(try await answer("refuse") == lines("refused", "org.other.x org.other.y"))
            _ = await daemon.end()
        }
    }

    @Test("Another app's type and team are refused until the user allows them, and end when the grant is revoked")
    func grants() async throws {
        try await withDaemons { desk, sofa in
            let letter = ["--type", "org.example.letter"]
            func isRefused(_ arguments: [String], _ daemon: RunningDaemon) async throws -> Bool {
                let answer = try await run(arguments, in: letters, on: daemon)
                return answer.status != 0 && answer.text.contains("baton grants")
            }
            // The app declares both types, and the user has allowed neither.
            #expect(try await isRefused(["publish"] + letter, desk))
            #expect(try await isRefused(["publish", "--team", "example"] + letter, desk))
            #expect(try await isRefused(["publish", "--type", "NSUserActivityTypeBrowsingWeb"], desk))
            async let published = desk.baton(["publish", "--team", "example", "--info", "to=Ada", "--once"] + letter)
            let ask = ["continue", "--wait", "60"] + letter
            #expect(try await isRefused(ask, sofa))
            let opened = try await sofa.baton(["open"] + letter)
            #expect(
                opened.status != 0 && opened.text.contains("No app on this laptop can continue this"), "\(opened.text)")
            // The app cannot allow itself a type.
            let itself = try await run(["grants", "allow", "org.example.Letters"], in: letters, on: sofa)
            #expect(itself.status != 0 && itself.text.contains("in a sandbox"), "\(itself.text)")
            #expect(try await isRefused(ask, sofa))

            let line = "flatpak:org.example.Letters  team \"example\"  org.example.letter\n"
            for daemon in [desk, sofa] {
                let listed = try await daemon.baton(["grants"])
                #expect(listed.status == 0 && listed.text.contains("pending  " + line), "\(listed.text)")
                #expect(try await daemon.baton(["status"]).text.contains("2 sandboxed apps ask for"))
                let allowed = try await daemon.baton(["grants", "allow", "org.example.Letters"])
                #expect(allowed.status == 0 && allowed.text == "granted  " + line, "\(allowed.text)")
            }
            let continued = try await run(ask, in: letters, on: sofa)
            #expect(continued.status == 0 && continued.text.contains("Ada"), "\(continued.text)")
            #expect(try await published.status == 0)

            async let standing = run(["publish"] + letter, in: letters, on: desk)
            #expect(try await sofa.baton(["nearby", "--wait", "60"]).text.contains("org.example.letter"))
            #expect(try await desk.baton(["grants", "refuse", "org.example.Letters"]).text == "refused  " + line)
            let ended = try await standing
            #expect(ended.status != 0 && ended.text.contains("You no longer allow this app"), "\(ended.text)")
            #expect(try await isRefused(["publish"] + letter, desk))
            let answered = try await sofa.baton([
                "grants", "refuse", "flatpak:org.example.Letters", "org.example.letter",
            ])
            #expect(answered.text == "refused  " + line, "\(answered.text)")
            async let again = desk.baton(["publish", "--team", "example", "--once"] + letter)
            #expect(try await isRefused(ask, sofa))
            #expect(try await sofa.baton(["continue", "--wait", "60"] + letter).status == 0)
            #expect(try await again.status == 0)
            // The refusal is stored, and the app does not ask again.
            let listed = try await desk.baton(["grants"])
            #expect(
                listed.text.contains("refused  " + line) && !listed.text.contains("pending  " + line), "\(listed.text)")
            let nothing = try await desk.baton(["grants", "allow", "org.example.Letters", "com.bank.transfer"])
            #expect(nothing.status != 0 && nothing.text.contains("baton grants"), "\(nothing.text)")
        }
    }
}
