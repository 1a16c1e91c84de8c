// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonBus
import BatonTesting
import DBus
import Diagnosis
import Foundation
import Glibc
import Testing

@testable import BatonDesktop

/// Tests how the web page of an activity is opened if no app here continues the activity
/// (requirement 105).
@Suite(.timeLimit(.minutes(3))) struct WebPageTests {
    private static let page = "https://example.org/a?b=$HOME&c=${HOME}&d=$$#e"

    /// Runs a closure with a program and a bus that only this test uses.
    private func withProgram(
        _ script: String, _ body: @Sendable (_ program: String, HandoverWorld) async throws -> Void
    ) async throws {
        try await HandoverWorld.with { world in
            let program = world.root.appending(path: "xdg-open")
            try await writeScript(script, to: program)
            try await body(program.path, world)
        }
    }

    private func opener(_ world: HandoverWorld, program: String, patience: Duration = .seconds(60)) -> WebPageOpener {
        WebPageOpener(bus: world.connection, program: program, isSandboxed: false, patience: patience)
    }

    @Test("The default browser opens a page and gets the token")
    func browserGetsToken() async throws {
        try await withProgram("printf '%s %s' \"$XDG_ACTIVATION_TOKEN\" \"$1\" >\"$0.opened\"") { program, world in
            try await opener(world, program: program).open(Self.page, activationToken: "token-1")
            #expect(try String(contentsOfFile: program + ".opened", encoding: .utf8) == "token-1 \(Self.page)")
        }
    }

    @Test(
        "A missing browser is a failure",
        arguments: [("exit 3", Reason.exited(3)), ("kill -9 $$", .killed(9))])
    func noBrowser(script: String, reason: Reason) async throws {
        try await withProgram(script) { program, world in
            let error = await #expect(throws: BatonError.self) {
                try await opener(world, program: program).open(Self.page, activationToken: nil)
            }
            #expect(error?.code == .applicationFailed)
            let why = Reason.Value.reason(reason.with("program", "xdg-open"))
            #expect(error?.reason == Reason(.browserFailed, ["reason": why]), "\(String(describing: error))")
        }
    }

    @Test("Opening does not wait for a program that becomes the browser itself")
    func programBecomesBrowser() async throws {
        try await withProgram("until [ -e \"$0.end\" ]; do sleep 0.1; done; : >\"$0.ended\"") { program, world in
            try await opener(world, program: program, patience: .milliseconds(100)).open(
                Self.page, activationToken: nil)
            #expect(!FileManager.default.fileExists(atPath: program + ".ended"))
            try Data().write(to: URL(filePath: program + ".end"))
            try await untilFiles(in: world.root, "the program has ended") {
                FileManager.default.fileExists(atPath: program + ".ended")
            }
        }
    }

    @Test("A page that opened counts as continued, and a page that did not open does not")
    func openedIsContinued() async throws {
        try await withProgram("exit 3") { program, _ in
            try await DesktopTests().withDesktop(browser: program) { desktop, world, server, host in
                host.webpage = URL(string: "https://example.org/")
                _ = await desktop.offered(DesktopTests().offer(type: nil, hasWebpage: true))
                let error = await #expect(throws: BatonError.self) {
                    try await desktop.open("offer-1", options: OpenOptions())
                }
                #expect(error?.message.contains("status 3") == true)
                #expect(world.journal.all.last == "accepted false by batond")
                #expect(
                    await server.nextShown { $0.summary.contains("could not be continued") }?.body == error?.message)
                // The user installs a browser.
                try await writeScript("", to: URL(filePath: program))
                let opened = try await desktop.open("offer-1", options: OpenOptions())
                #expect(opened == .webpage("https://example.org/"))
                #expect(world.journal.all.last == "accepted true by batond")
            }
        }
    }

    @Test(
        "A page that browsers would not hand over is not opened",
        arguments: [
            ("http://localhost:631/admin", FailureCode.pageOfThisLaptop), ("http://127.0.0.1/", .pageOfThisLaptop),
            ("http://localhost.localdomain/", .pageOfThisLaptop),
            ("https://ada:word@example.org/", .pageAddressNamesUser), ("ftp://example.org/", .pageNotWeb),
            ("https://example.org/?\(String(repeating: "a", count: 8_192))", .pageAddressTooLong),
        ])
    func pageNotHandedOver(address: String, failure: FailureCode) async throws {
        try await withProgram(": >\"$0.opened\"") { program, _ in
            try await DesktopTests().withDesktop(browser: program) { desktop, world, _, host in
                host.webpage = URL(string: address)
                _ = await desktop.offered(DesktopTests().offer(type: nil, hasWebpage: true))
                let error = await #expect(throws: BatonError.self) {
                    try await desktop.open("offer-1", options: OpenOptions())
                }
                let reason = Reason.Value.reason(Reason(failure))
                #expect(error?.reason == Reason(.pageRefused, ["reason": reason]), "\(String(describing: error))")
                #expect(world.journal.all.last == "accepted false by batond")
                #expect(!FileManager.default.fileExists(atPath: program + ".opened"))
            }
        }
    }

    @Test("A page at this computer's host name is not opened, because on the other laptop the name leads elsewhere")
    func pageOfThisComputer() async throws {
        var name = [CChar](repeating: 0, count: Int(HOST_NAME_MAX) + 1)
        #expect(gethostname(&name, name.count) == 0)
        let host = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        try await pageNotHandedOver(address: "http://\(host):631/", failure: .pageOfThisLaptop)
    }

    /// Requirement 106.
    @Test("A page goes to the default browser, and not to another app of its type")
    func onlyTheDefaultBrowser() async throws {
        try await withProgram(": >\"$0.opened\"") { program, _ in
            let web = ActivityState.browsingWeb
            let apps = ["a.reader": "X-Baton-ActivityTypes=\(web)", "browser": "MimeType=x-scheme-handler/https"]
            try await DesktopTests().withDesktop(browser: program, apps: apps) { desktop, world, _, host in
                host.webpage = URL(string: "https://example.org/")
                var offer = DesktopTests().offer(type: web, hasWebpage: true)
                #expect(await desktop.offered(offer).application == "a.reader")
                try Data("[Default Applications]\nx-scheme-handler/https=browser.desktop\n".utf8)
                    .write(to: world.root.appending(path: "mimeapps.list"))
                await world.journal.wait(for: "changed -")
                #expect(await desktop.decorated(offer).application == nil)
                #expect(try await desktop.open("offer-1", options: OpenOptions()) == .webpage("https://example.org/"))
                #expect(FileManager.default.fileExists(atPath: program + ".opened"))
                // Without a page address no browser can open it.
                offer.hasWebpage = false
                #expect(await desktop.decorated(offer).application == "a.reader")
            }
        }
    }

    @Test("Extensions learn of a page before the browser opens it, and one of them can take it once")
    func extensionsTakePageOnce() async throws {
        try await withProgram("until [ -e \"$0.go\" ]; do sleep 0.1; done") { program, _ in
            try await DesktopTests().withDesktop(browser: program) { desktop, world, _, host in
                (host.webpage, host.fetchesPages) = (URL(string: "https://example.org/"), true)
                let (stays, leaves) = (ClientID(rawValue: ":1.7"), ClientID(rawValue: ":1.8"))
                for client in [stays, leaves] { #expect(await desktop.followPages(client).isEmpty) }
                await desktop.clientLeft(leaves)
                _ = await desktop.offered(DesktopTests().offer(type: nil, hasWebpage: true))
                let opening = Task { try await desktop.open("offer-1", options: OpenOptions()) }
                await world.journal.wait(for: "opened p1 https://example.org/ for :1.7")
                // A browser that is still starting asks for the page.
                let late = ClientID(rawValue: ":1.9")
                #expect(await desktop.followPages(late) == [OpenedPage(page: "p1", address: "https://example.org/")])
                #expect(await desktop.counts == ["openedPages": 1, "openings": 1, "pageFollowers": 2, "withheld": 0])
                try Data().write(to: URL(filePath: program + ".go"))
                _ = try await opening.value
                #expect(!world.journal.all.contains { $0.hasSuffix("for :1.8") })
                #expect(try await desktop.takePage("p1").activity.activityType == "NSUserActivityTypeBrowsingWeb")
                let error = await #expect(throws: BatonError.self) { try await desktop.takePage("p1") }
                #expect(error?.code == .notFound)
            }
        }
    }

    @Test("An offered page is said to open at its top until a browser's extension follows pages")
    func saidToOpenAtItsTop() async throws {
        try await DesktopTests().withDesktop { desktop, _, server, _ in
            _ = await desktop.offered(DesktopTests().offer(type: ActivityState.browsingWeb, hasWebpage: true))
            #expect(await server.nextShown()?.body.hasSuffix(NotificationStyle.atItsTop) == true)
            _ = await desktop.followPages(ClientID(rawValue: ":1.7"))
            #expect(await server.nextShown()?.body == "Continue it in your browser.")
        }
    }

    @Test("A page that did not open cannot be taken")
    func pageThatDidNotOpenIsNotTaken() async throws {
        try await withProgram("exit 3") { program, _ in
            try await DesktopTests().withDesktop(browser: program) { desktop, _, _, host in
                (host.webpage, host.fetchesPages) = (URL(string: "https://example.org/"), true)
                _ = await desktop.offered(DesktopTests().offer(type: nil, hasWebpage: true))
                await #expect(throws: BatonError.self) {
                    try await desktop.open("offer-1", options: OpenOptions())
                }
                #expect(await desktop.followPages(ClientID(rawValue: ":1.7")).isEmpty)
            }
        }
    }

    // MARK: - The portal

    private func portalOpener(_ world: HandoverWorld, isSandboxed: Bool = true, limit: Duration = .seconds(60))
        -> WebPageOpener
    {
        WebPageOpener(
            bus: world.connection, program: isSandboxed ? "/bin/false" : "/nonexistent/xdg-open",
            isSandboxed: isSandboxed, portalLimit: limit)
    }

    @Test("The portal opens the page if Baton is in a sandbox or xdg-open is missing", arguments: [true, false])
    func portalOpensPage(isSandboxed: Bool) async throws {
        try await HandoverWorld.with { world in
            let portal = try await FakePortal.start(bus: world.bus, journal: world.journal) { 0 }
            try await portalOpener(world, isSandboxed: isSandboxed).open(Self.page, activationToken: "token-1")
            #expect(world.journal.all == ["open \(Self.page) token-1"])
            portal.close()
        }
    }

    @Test(
        "A portal that does not open the page causes an error with the reason",
        arguments: [
            (UInt32(1), BatonError.Code.userCancelled, FailureCode.noBrowserChosen),
            (2, .applicationFailed, .noBrowser),
        ])
    func portalSaysWhyNot(answer: UInt32, code: BatonError.Code, failure: FailureCode) async throws {
        try await HandoverWorld.with { world in
            let portal = try await FakePortal.start(bus: world.bus, journal: world.journal) { answer }
            let error = await #expect(throws: BatonError.self) {
                try await portalOpener(world).open(Self.page, activationToken: nil)
            }
            #expect(error?.code == code && error?.reason == Reason(failure))
            portal.close()
        }
    }

    @Test("Baton stops waiting for a portal that never answers")
    func silentPortal() async throws {
        try await HandoverWorld.with { world in
            let portal = try await FakePortal.start(bus: world.bus, journal: world.journal) { nil }
            let error = await #expect(throws: BatonError.self) {
                try await portalOpener(world, limit: .milliseconds(100)).open(Self.page, activationToken: nil)
            }
            #expect(error?.reason?.failure == .pageOpeningLate)
            portal.close()
        }
    }

    @Test("If there is neither xdg-open nor a portal, the error says what to install")
    func neitherProgramNorPortal() async throws {
        try await HandoverWorld.with { world in
            let error = await #expect(throws: BatonError.self) {
                try await portalOpener(world, isSandboxed: false).open(Self.page, activationToken: nil)
            }
            #expect(error?.code == .applicationFailed && error?.reason?.failure == .portalMissing)
        }
    }
}

/// A fake of the part of the desktop's portal that opens pages.
enum FakePortal {
    /// Starts a portal on a connection of its own. It answers a request with a number, or not at
    /// all.
    static func start(
        bus: String, journal: Journal, answer: @escaping @Sendable () -> UInt32?
    ) async throws -> DBusConnection {
        let connection = try await DBusConnection.open(address: bus)
        let method = DBusMethod(
            "OpenURI",
            inputs: [DBusArgument("parent", "s"), DBusArgument("uri", "s"), DBusArgument("options", "a{sv}")],
            outputs: [DBusArgument("handle", "o")]
        ) { [weak connection] call in
            let options = call.arguments[2].propertiesValue ?? [:]
            func option(_ name: String) -> String { options[name]?.stringValue ?? "-" }
            journal.add("open \(call.arguments[1].stringValue ?? "") \(option("activation_token"))")
            let sender = call.sender.dropFirst().replacing(".", with: "_")
            let request = "/org/freedesktop/portal/desktop/request/\(sender)/\(option("handle_token"))"
            // Answer before the request's name is returned, as fast portals do.
            if let answer = answer() {
                try connection?.emit(
                    path: request, interface: "org.freedesktop.portal.Request", member: "Response",
                    arguments: [.uint32(answer), .properties([:])])
            }
            return [.objectPath(request)]
        }
        try connection.export(
            DBusObject(interfaces: [DBusInterface("org.freedesktop.portal.OpenURI", methods: [method])]),
            at: "/org/freedesktop/portal/desktop")
        _ = try await connection.requestName("org.freedesktop.portal.Desktop")
        return connection
    }
}
