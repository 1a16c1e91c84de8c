// SPDX-License-Identifier: GPL-3.0-or-later

import BatonBus
import BatonTesting
import DBus
import Foundation
import SiteTesting
import Testing

/// Tests domains with two real daemons and an installed app that claims a domain. A real https
/// server on loopback is the domain, and the real program asks it (requirements 107, 109 to 119).
@Suite(.serialized, .timeLimit(.minutes(3))) struct DomainsTests {
    private static let file = "/.well-known/apple-app-site-association"
    private static let app = "org.example.Reader"
    private static let page = "NSUserActivityTypeBrowsingWeb"

    private struct World {
        let desk: RunningDaemon
        let sofa: RunningDaemon
        let site: TestSite
        /// The file with the pages that the browser has opened.
        let opened: URL

        var report: [String] {
            let text = try? String(contentsOf: sofa.root.appending(path: "report"), encoding: .utf8)
            return text?.split(separator: "\n").map(String.init) ?? []
        }
    }

    /// Runs a closure with two daemons of one circle. The second has the app installed.
    private func withWorld(
        claims: String = "activitycontinuation:example.test;", team: String = "TEAM",
        configuration: String = "domains.private = example.test\n", _ body: (World) async throws -> Void
    ) async throws {
        try await withDirectory { root in
            let second = root.appending(path: "second")
            for path in [".local/share/applications", ".config/baton", "bin"] {
                try FileManager.default.createDirectory(
                    at: second.appending(path: path), withIntermediateDirectories: true,
                    attributes: [.posixPermissions: 0o700])
            }
            let entry =
                "[Desktop Entry]\nType=Application\nName=Reader\nExec=\(try Sandbox.built("app-program")) \(Self.app) "
                + "\(second.appending(path: "report").path)\nX-Baton-Team=\(team)\nX-Baton-AssociatedDomains=\(claims)\n"
            try Data(entry.utf8).write(to: second.appending(path: ".local/share/applications/\(Self.app).desktop"))
            try Data(configuration.utf8).write(to: second.appending(path: ".config/baton/baton.conf"))
            try Self.postpone(in: second)
            let opened = second.appending(path: "opened")
            try await writeScript("printf %s \"$1\" >'\(opened.path)'", to: second.appending(path: "bin/xdg-open"))
            let authority = try TestAuthority(in: second)
            let site = try await TestSite.start(
                "example.test", authority, [Self.file: .approving("TEAM.\(Self.app)")])
            let fetcher = second.appending(path: "bin/fetcher")
            try await writeScript(
                "exec '\(try Sandbox.built("domain-fetcher"))' --authority '\(authority.file.path)' "
                    + "--connect example.test=127.0.0.1:\(site.port)", to: fetcher)
            let desk = try await RunningDaemon.serving(in: root)
            let sofa = try await RunningDaemon.serving(
                in: second, radio: root.appending(path: "radio"), options: ["--domain-fetcher", fetcher.path])
            try await desk.makeCircle(with: sofa)
            try await body(World(desk: desk, sofa: sofa, site: site, opened: opened))
            _ = await sofa.end()
            _ = await desk.end()
            try? await site.stop()
        }
    }

    /// Stores a failed request to the domain, so that the daemon asks again only after a day or
    /// when the test demands it.
    private static func postpone(in root: URL) throws {
        let state = RunningDaemon.state(in: root)
        try FileManager.default.createDirectory(
            at: state, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        let next = Int(Date.now.timeIntervalSince1970) + 86_400
        let record =
            #"{"domain":"example.test","record":{"approved":[],"asked":[],"failure":{"code":"domain-late"},"failures":1,"next":\#(next)}}"#
        let file = state.appending(path: "domains")
        try Data("baton domains 1\n\(record)".utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
    }

    /// Offers a page on one laptop and opens it on the other. Returns the output of `baton open`.
    private func handOver(_ address: String, in world: World) async throws -> String {
        async let published = world.desk.baton([
            "publish", "--type", Self.page, "--title", "A page", "--webpage", address, "--info", "fraction=0.5",
            "--once",
        ])
        let opened = try await world.sofa.baton(["open", "--type", Self.page, "--wait", "60"])
        #expect(opened.status == 0, "\(opened.text)")
        let outcome = try await published
        #expect(outcome.status == 0, "\(outcome.text)")
        return opened.text
    }

    @Test("A page is continued by the app that claims its domain and that the domain approves, with an empty userInfo")
    func agreed() async throws {
        try await withWorld { world in
            let before = try await world.sofa.baton(["domains"])
            #expect(
                before.text.hasPrefix("unreachable  activitycontinuation:example.test  org.example.Reader"),
                "\(before.text)")
            // Until the domain has agreed, the browser opens the page.
            #expect(
                try await handOver("https://example.test/1", in: world)
                    == "opened in the browser: https://example.test/1\n")
            #expect(world.site.questions.isEmpty)
            let checked = try await world.sofa.baton(["domains", "check", "example.test"])
            #expect(checked.status == 0 && checked.text.hasPrefix("agreed  "), "\(checked.text)")
            #expect(
                try await handOver("https://example.test/a?b=c#d", in: world)
                    == "continued in Reader (org.example.Reader)\n")
            #expect(
                world.report == [
                    "started -", "will \(Self.page)", "continue A page -", "page https://example.test/a?b=c#d - 0",
                ])
            // An argument that is not a domain is refused.
            let bus = try await DBusConnection.open(address: world.sofa.bus.address)
            defer { bus.close() }
            let empty = await #expect(throws: DBusError.self) {
                try await bus.call(
                    destination: BatonBusName.bus, path: BatonBusName.path, interface: BatonBusName.domains,
                    member: "Check", arguments: [.string("")])
            }
            #expect(empty?.name == "org.batonproject.Baton1.Error.InvalidArgument")
            #expect(empty?.message.hasPrefix("domain must not be empty.") == true)
            // The browser opens a page of another domain.
            #expect(
                try await handOver("https://www.example.test/", in: world)
                    == "opened in the browser: https://www.example.test/\n")
            // The offers caused no further requests to the domain.
            #expect(world.site.questions.count == 1)
        }
    }

    @Test("The domain's answer outlasts the daemon, and the domain is not asked for it again")
    func known() async throws {
        try await withWorld { world in
            #expect(try await world.sofa.baton(["domains", "check", "example.test"]).status == 0)
            let before = world.site.questions.count
            _ = await world.sofa.end()
            let sofa = try await RunningDaemon.serving(
                in: world.sofa.root, radio: world.desk.root.appending(path: "radio"),
                options: ["--domain-fetcher", world.sofa.root.appending(path: "bin/fetcher").path])
            let after = try await sofa.baton(["domains"])
            #expect(after.text.hasPrefix("agreed  "), "\(after.text)")
            let again = World(desk: world.desk, sofa: sofa, site: world.site, opened: world.opened)
            let said = try await handOver("https://example.test/", in: again)
            #expect(said == "continued in Reader (org.example.Reader)\n")
            #expect(world.site.questions.count == before)
            _ = await sofa.end()
        }
    }

    @Test("A domain's withdrawal of its approval counts at once")
    func changed() async throws {
        try await withWorld(claims: "*.example.test;") { world in
            #expect(try await world.sofa.baton(["domains", "check", "example.test"]).status == 0)
            let kept = try String(
                contentsOf: RunningDaemon.state(in: world.sofa.root).appending(path: "domains"), encoding: .utf8)
            #expect(kept.contains(#""approved":["TEAM.org.example.Reader"]"#))
            let page = "https://www.example.test/"
            #expect(try await handOver(page, in: world) == "continued in Reader (org.example.Reader)\n")
            world.site.change([Self.file: .approving("TEAM.org.example.Other")])
            let refused = try await world.sofa.baton(["domains", "check", "example.test", "--json"])
            #expect(refused.status == 77 && refused.text.contains(#""state" : "refused""#), "\(refused.text)")
            #expect(refused.text.contains("The file of example.test does not list TEAM.org.example.Reader."))
            #expect(try await handOver(page, in: world) == "opened in the browser: \(page)\n")
        }
    }

    @Test("A domain on this computer is asked only if the configuration allows it, and an unclaimed one never is")
    func privateAddress() async throws {
        try await withWorld(configuration: "") { world in
            let checked = try await world.sofa.baton(["domains", "check", "example.test"])
            #expect(
                checked.status == 68 && checked.text.contains("example.test is in a private network."),
                "\(checked.text)")
            #expect(checked.text.hasPrefix("unreachable  ") && world.site.questions.isEmpty)
            let unknown = try await world.sofa.baton(["domains", "check", "www.example.test"])
            #expect(unknown.status == 67 && unknown.text.contains("No app here"), "\(unknown.text)")
        }
    }

    @Test("With 'domains = off' no domain is asked, and no app gets a page")
    func off() async throws {
        try await withWorld(configuration: "domains = off\n") { world in
            let checked = try await world.sofa.baton(["domains", "check", "example.test"])
            #expect(checked.status == 1, "\(checked.text)")
            let page = "https://example.test/"
            #expect(try await handOver(page, in: world) == "opened in the browser: \(page)\n")
            #expect(world.site.questions.isEmpty)
        }
    }
}
