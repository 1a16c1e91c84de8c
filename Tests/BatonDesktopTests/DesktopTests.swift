// SPDX-License-Identifier: Apache-2.0

import BatonBus
import BatonTesting
import DBus
import DesktopEntries
import Diagnosis
import Foundation
import Logging
import Testing

@testable import BatonDesktop

/// Tests the whole desktop side, on a bus with a notification server, an app, and a daemon that the
/// test plays.
///
/// The tests run one after the other, because each takes two of the few inotify instances of a
/// user.
@Suite(.serialized, .timeLimit(.minutes(3))) struct DesktopTests {
    func withDesktop(
        _ configuration: String = "", browser: String = "/nonexistent/xdg-open",
        systemBus: (@Sendable (HandoverWorld) -> SystemBus)? = nil, grants: GrantStore = GrantStore(),
        pauseMemory: PauseMemory = PauseMemory(), asker: DomainAsker = DomainAsker(nil),
        clock: ManualClock? = nil, apps: [String: String] = [:], devices: [CircleMember]? = nil,
        _ body: @Sendable (Desktop, HandoverWorld, FakeNotificationServer, FakeHost) async throws -> Void
    ) async throws {
        try await HandoverWorld.with { world in
            let (applications, file) = (
                world.root.appending(path: "applications"), SettingsFile(world.root.appending(path: "baton.conf"))
            )
            try FileManager.default.createDirectory(at: applications, withIntermediateDirectories: false)
            try Data(
                "[Desktop Entry]\nType=Application\nName=Notes\nExec=true\nIcon=notes\nX-Baton-ActivityTypes=\(HandoverWorld.type)\n"
                    .utf8
            )
            .write(to: applications.appending(path: "\(HandoverWorld.identifier).desktop"))
            for (name, lines) in apps {
                try Data("[Desktop Entry]\nType=Application\nExec=true\n\(lines)".utf8).write(
                    to: applications.appending(path: "\(name).desktop"))
            }
            try Data(configuration.utf8).write(to: file.url)
            let server = try await FakeNotificationServer(bus: world.bus)
            let host = FakeHost(journal: world.journal)
            if let devices { host.devices = devices }
            let desktop = Desktop(
                bus: world.connection, systemBus: systemBus?(world), host: host,
                settingsFile: file,
                catalogue: AppCatalogue(
                    directories: [applications], languages: [], mimePlaces: MimePlaces(configuration: [world.root])),
                pages: WebPageOpener(
                    bus: world.connection, program: browser, isSandboxed: false, patience: .seconds(60)),
                grants: grants, asker: asker, pauseMemory: pauseMemory,
                logger: host.logger)
            if let clock { await desktop.use(DesktopClock(clock)) }
            let running = Task { await desktop.run() }
            await world.journal.wait(for: "declared org.example.note")
            try await host.until("the file is in force") {
                await desktop.settings == file.contents(naming: DeviceNames([])).reading?.settings
            }
            try await body(desktop, world, server, host)
            running.cancel()
            await running.value
        }
    }

    func offer(
        _ id: String = "offer-1", type: String? = HandoverWorld.type, title: String? = nil, signal: Int? = -70,
        hasWebpage: Bool = false
    ) -> OfferSummary {
        OfferSummary(
            offer: id, device: "0a1b2c3d", deviceName: "desk", team: type.map { _ in "" }, type: type,
            title: title, signal: signal, hasWebpage: hasWebpage)
    }

    @Test("An offer causes a notification, and a click on it continues the offer")
    func offerAndClick() async throws {
        try await withDesktop { desktop, world, server, _ in
            try await world.runApp()
            #expect(await desktop.offered(offer()).application == HandoverWorld.identifier)
            let shown = try #require(await server.nextShown())
            #expect(shown.summary == "Notes from \"desk\"")
            #expect(shown.icon == "notes")
            #expect(shown.actions == ["default", "Continue"])
            try server.choose("default", of: shown.id, token: "token-1")
            await world.journal.wait(for: "accepted true by app")
            #expect(world.journal.all.contains("continue c-1 string(\"milk\")"))
            await desktop.withdrawn("offer-1")
        }
    }

    @Test("A changed offer replaces its notification, and a withdrawn one removes it")
    func changedAndGoneOffers() async throws {
        try await withDesktop { desktop, _, server, _ in
            _ = await desktop.offered(offer())
            let first = try #require(await server.nextShown())
            // A new signal strength does not change the notification. A new title does.
            _ = await desktop.offered(offer(signal: -50))
            _ = await desktop.offered(offer(title: "Shopping"))
            let second = try #require(await server.nextShown())
            #expect(second.body == "Shopping")
            #expect(second.id == first.id)
            // The title of the previous activity does not apply to another activity of the type.
            _ = await desktop.offered(offer(title: nil))
            let third = try #require(await server.nextShown())
            #expect(third.id == first.id && third.body == first.body)
            await desktop.withdrawn("offer-1")
            #expect(await server.next() == .closed(first.id))
        }
    }

    /// If the notification stayed, the laptop that handed the activity over would permanently offer
    /// to take it back.
    @Test("The notification of an activity that was handed over from here disappears by itself, and is not shown again")
    func givenAwayExpires() async throws {
        try await withDesktop { desktop, world, server, host in
            _ = await desktop.offered(offer())
            let lasting = try #require(await server.nextShown())
            #expect(lasting.expires == 0 && !lasting.isTransient)
            // The hand-over is reported after the other device has offered the activity.
            host.offersWhatItGaveAway = true
            _ = await desktop.offered(offer())
            let brief = try #require(await server.nextShown())
            #expect(brief.id == lasting.id && brief.expires == 10_000 && brief.isTransient)
            try server.expire(brief.id)
            try await desktop.settles("offer-1")
            _ = await desktop.offered(offer(title: "Shopping"))
            await desktop.sessionChanged(SessionState())
            #expect(await desktop.board.inbox.wishes.isEmpty)
            // The offer still exists for panels and for requests.
            #expect(await desktop.offers["offer-1"]?.title == "Shopping")
            await desktop.withdrawn("offer-1")
            #expect(await !desktop.known.isSettled("offer-1"))
            #expect(await desktop.known.activity(of: "offer-1") == nil)
            // An offer that was withdrawn and comes again is shown again.
            _ = await desktop.offered(offer())
            #expect(await server.nextShown()?.expires == 10_000)
        }
    }

    /// The user of the laptop that took an activity over switches to another activity of the same
    /// type. The offer stays the same.
    @Test("Another activity of the type is shown again")
    func anotherOfTheType() async throws {
        try await withDesktop { desktop, world, server, host in
            func isOffer(_ shown: FakeNotificationServer.Shown) -> Bool { shown.summary == "Notes from \"desk\"" }
            host.offersWhatItGaveAway = true
            _ = await desktop.offered(offer())
            let brief = try #require(await server.nextShown(where: isOffer))
            try server.expire(brief.id)
            try await desktop.settles("offer-1")
            (host.offersWhatItGaveAway, host.activityNumber) = (false, 2)
            _ = await desktop.offered(offer(title: "Another"))
            let lasting = try #require(await server.nextShown(where: isOffer))
            #expect(lasting.body == "Another" && lasting.expires == 0)
            // After an activity was continued here, another activity of the type is also shown.
            try await world.runApp()
            _ = try await desktop.open("offer-1", options: OpenOptions())
            _ = await desktop.offered(offer(title: "The same"))
            host.activityNumber = 3
            _ = await desktop.offered(offer(title: "A third"))
            #expect(await server.nextShown(where: isOffer)?.body == "A third")
        }
    }

    /// News of an offer may arrive after its withdrawal.
    @Test("A late report about a withdrawn offer does not show the offer again")
    func justGoneOffer() async throws {
        try await withDesktop { desktop, _, server, host in
            host.offersWhatItGaveAway = true
            _ = await desktop.offered(offer())
            let brief = try #require(await server.nextShown())
            try server.expire(brief.id)
            try await desktop.settles("offer-1")
            (host.offersWhatItGaveAway, host.activityNumber) = (false, nil)
            _ = await desktop.offered(offer(title: "Shopping"))
            #expect(await desktop.known.isSettled("offer-1"))
            #expect(await desktop.known.activity(of: "offer-1")?.isFromHere == true)
            #expect(await desktop.board.inbox.wishes.isEmpty)
        }
    }

    @Test("A web page that no app here continues is offered in the browser")
    func pageForTheBrowser() async throws {
        try await withDesktop { desktop, _, server, _ in
            _ = await desktop.offered(offer(type: nil, hasWebpage: true))
            let shown = try #require(await server.nextShown())
            #expect(shown.summary == "A web page from \"desk\"")
            #expect(shown.actions == ["default", "Continue"])
        }
    }

    @Test("An offer that no app here continues is not shown, and opening it fails with the reason")
    func nobodyContinuesIt() async throws {
        try await withDesktop { desktop, _, server, _ in
            #expect(await desktop.offered(offer(type: "org.example.other")).application == nil)
            let error = await #expect(throws: BatonError.self) {
                try await desktop.open("offer-1", options: OpenOptions())
            }
            #expect(error?.reason == Reason(.noApp, ["type": "org.example.other"]))
            #expect(await server.nextShown()?.body == error?.message)
            _ = await desktop.offered(offer())
            #expect(await server.nextShown()?.summary == "Notes from \"desk\"")
            var foreign = offer("offer-2")
            foreign.team = "readers"
            #expect(await desktop.offered(foreign).application == nil)
            let team = await #expect(throws: BatonError.self) {
                try await desktop.open("offer-2", options: OpenOptions())
            }
            #expect(team?.reason == Reason(.noAppOfTeam, ["app": .text(HandoverWorld.identifier)]))
        }
    }

    @Test("An app that does not continue the type cannot be chosen")
    func appOfAnotherType() async throws {
        try await withDesktop { desktop, _, _, _ in
            _ = await desktop.offered(offer())
            let error = await #expect(throws: BatonError.self) {
                try await desktop.open("offer-1", options: OpenOptions(application: "org.example.Other"))
            }
            #expect(error?.reason == Reason(.appUnfit, ["app": "org.example.Other"]))
        }
    }

    @Test("An offer that was continued is not shown again while it exists")
    func continuedOfferIsQuiet() async throws {
        try await withDesktop { desktop, world, server, _ in
            func isOffer(_ shown: FakeNotificationServer.Shown) -> Bool { shown.summary == "Notes from \"desk\"" }
            try await world.runApp()
            _ = await desktop.offered(offer())
            #expect(await server.nextShown(where: isOffer) != nil)
            _ = try await desktop.open("offer-1", options: OpenOptions())
            // The other device still offers the activity.
            _ = await desktop.offered(offer(title: "Shopping"))
            _ = await desktop.offered(offer("offer-2", title: "Another"))
            #expect(await server.nextShown(where: isOffer)?.body == "Another")
            // A later offer is shown.
            await desktop.withdrawn("offer-1")
            _ = await desktop.offered(offer(title: "Later"))
            #expect(await server.nextShown(where: isOffer)?.body == "Later")
        }
    }

    @Test("The status reports that a session has no notification server")
    func noNotificationServer() async throws {
        try await withDesktop { desktop, world, server, _ in
            let owners = try await world.connection.nameOwnerChanges(of: FakeNotificationServer.name)
            server.connection.close()
            // The desktop may believe that the server is there until the bus reports that it has
            // left.
            for await change in owners where change.newOwner == nil { break }
            // The warning exists even before a notification is due.
            try await eventually("a warning") { await !desktop.warnings.isEmpty }
            _ = await desktop.offered(offer())
            await desktop.openForClick("gone", token: nil)
            #expect(await desktop.findings == [Finding(.noNotifications)])
            // Notifications about past events are not kept. A server that appears shows only
            // lasting notifications.
            try await desktop.forgetsNews()
            let next = try await FakeNotificationServer(bus: world.bus)
            #expect(await next.nextShown()?.summary == "Notes from \"desk\"")
            #expect(await desktop.warnings.isEmpty)
        }
    }

    @Test("An offer can be opened only once at a time")
    func offerIsOpenedOnceAtATime() async throws {
        try await withDesktop { desktop, world, _, host in
            try await world.runApp()
            host.holdsFetches = true
            _ = await desktop.offered(offer())
            let first = Task { try await desktop.open("offer-1", options: OpenOptions()) }
            await world.journal.wait(for: "will org.example.note from desk")
            let error = await #expect(throws: BatonError.self) {
                try await desktop.open("offer-1", options: OpenOptions())
            }
            #expect(error?.code == .limitReached)
            await desktop.openings.cancel("offer-1")
            await #expect(throws: BatonError.self) { try await first.value }
        }
    }
}
