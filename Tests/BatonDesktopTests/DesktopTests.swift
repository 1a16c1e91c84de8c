// SPDX-License-Identifier: Apache-2.0

import BatonBus
import DBus
import DesktopEntries
import Foundation
import Logging
import Testing
import UserActivity

@testable import BatonDesktop

/// The desktop's side as a whole, on a bus with a notification server, an app, and a daemon that the test plays.
///
/// One after the other: each takes two of the few watches that a user may have.
@Suite(.serialized, .timeLimit(.minutes(3))) struct DesktopTests {
    func withDesktop(
        _ configuration: String = "", browser: String = "/nonexistent/xdg-open",
        followsSession: Bool = false, grants: GrantStore = GrantStore(), pauseMemory: PauseMemory = PauseMemory(),
        apps: [String: String] = [:],
        _ body: @Sendable (Desktop, HandoverWorld, FakeNotificationServer, FakeHost) async throws -> Void
    ) async throws {
        try await HandoverWorld.with { world in
            let (applications, file) = (
                world.root.appending(path: "applications"), SettingsFile(world.root.appending(path: "baton.conf"))
            )
            try FileManager.default.createDirectory(at: applications, withIntermediateDirectories: false)
            try Data("[Desktop Entry]\nName=Notes\nIcon=notes\nX-Baton-ActivityTypes=\(HandoverWorld.type)\n".utf8)
                .write(to: applications.appending(path: "\(HandoverWorld.identifier).desktop"))
            for (name, lines) in apps {
                try Data("[Desktop Entry]\n\(lines)".utf8).write(to: applications.appending(path: "\(name).desktop"))
            }
            try Data(configuration.utf8).write(to: file.url)
            let server = try await FakeNotificationServer(bus: world.bus)
            let host = FakeHost(journal: world.journal)
            let desktop = Desktop(
                bus: world.connection, systemBus: followsSession ? world.connection : nil, host: host,
                settingsFile: file,
                catalogue: AppCatalogue(directories: [applications], languages: []),
                pages: WebPageOpener(
                    bus: world.connection, program: browser, isSandboxed: false, patience: .seconds(60)),
                grants: grants, pauseMemory: pauseMemory,
                logger: Logger(label: "test"))
            let running = Task { await desktop.run() }
            await world.journal.wait(for: "declared org.example.note")
            while await desktop.settings != (try file.read(naming: DeviceNames([])).settings) { await Task.yield() }
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

    @Test func offerIsNotifiedOfAndAClickContinuesIt() async throws {
        try await withDesktop { desktop, world, server, _ in
            let app = try await world.runningApp(FakeApp(journal: world.journal))
            #expect(await desktop.offered(offer()).application == HandoverWorld.identifier)
            let shown = try #require(await server.nextShown())
            #expect(shown.summary == "Notes from desk")
            #expect(shown.icon == "notes")
            #expect(shown.actions == ["default", "Continue"])
            try server.choose("default", of: shown.id, token: "token-1")
            await world.journal.wait(for: "accepted true by app")
            #expect(world.journal.all.contains("continue c-1 string(\"milk\")"))
            await desktop.withdrawn("offer-1")
            app.close()
        }
    }

    @Test func offerThatChangesIsReplacedAndOneThatGoesIsWithdrawn() async throws {
        try await withDesktop { desktop, _, server, _ in
            _ = await desktop.offered(offer())
            let first = try #require(await server.nextShown())
            // A signal is not worth a notification; a title is.
            _ = await desktop.offered(offer(signal: -50))
            _ = await desktop.offered(offer(title: "Shopping"))
            let second = try #require(await server.nextShown())
            #expect(second.body == "Shopping")
            #expect(second.id == first.id)
            await desktop.withdrawn("offer-1")
            #expect(await server.next() == .closed(first.id))
        }
    }

    @Test func webPageThatNoAppHereContinuesIsOfferedInTheBrowser() async throws {
        try await withDesktop { desktop, _, server, _ in
            _ = await desktop.offered(offer(type: nil, hasWebpage: true))
            let shown = try #require(await server.nextShown())
            #expect(shown.summary == "Web page from desk")
            #expect(shown.actions == ["default", "Continue in your browser"])
        }
    }

    @Test func whatNobodyHereContinuesIsNotShownAndSaysSo() async throws {
        try await withDesktop { desktop, _, server, _ in
            #expect(await desktop.offered(offer(type: "org.example.other")).application == nil)
            let error = await #expect(throws: BatonBusError.self) {
                try await desktop.open("offer-1", options: OpenOptions())
            }
            #expect(error?.message.contains("no app here continues org.example.other") == true)
            #expect(await server.nextShown()?.body.contains("no app here continues org.example.other") == true)
            _ = await desktop.offered(offer())
            #expect(await server.nextShown()?.summary == "Notes from desk")
        }
    }

    @Test func appThatDoesNotContinueTheTypeCannotBeChosen() async throws {
        try await withDesktop { desktop, _, _, _ in
            _ = await desktop.offered(offer())
            let error = await #expect(throws: BatonBusError.self) {
                try await desktop.open("offer-1", options: OpenOptions(application: "org.example.Other"))
            }
            #expect(error?.message.contains("X-Baton-ActivityTypes") == true)
        }
    }

    @Test func ruleContinuesByItselfWhenTheDeviceComesNear() async throws {
        try await withDesktop("rule = near signal=-60") { desktop, world, _, _ in
            let app = try await world.runningApp(FakeApp(journal: world.journal))
            _ = await desktop.offered(offer(signal: -55))
            await world.journal.wait(for: "accepted true by app")
            // It is not continued again as long as it is there, however often the device comes and goes.
            while await desktop.continued != ["offer-1"] { await Task.yield() }
            _ = await desktop.offered(offer(signal: -90))
            _ = await desktop.offered(offer(signal: -55))
            await desktop.staysNear("offer-1")
            #expect(world.journal.all.count { $0.hasPrefix("will") } == 1)
            app.close()
        }
    }

    @Test func ruleDoesNotContinueWhatThisDeviceGaveAway() async throws {
        try await withDesktop("rule = near signal=-60") { desktop, world, _, host in
            let app = try await world.runningApp(FakeApp(journal: world.journal))
            host.offersWhatItGaveAway = true
            _ = await desktop.offered(offer(signal: -55))
            while await desktop.isComing { await Task.yield() }
            #expect(await desktop.hasBegunNothing)
            // The user may all the same.
            _ = try await desktop.open("offer-1", options: OpenOptions())
            app.close()
        }
    }

    private func searchResult() throws -> SearchResult {
        var state = ActivityState(activityType: HandoverWorld.type)
        state.title = "Shopping"
        state.userInfo = ["text": .string("bread")]
        return SearchResult(
            application: HandoverWorld.identifier,
            activity: SavedUserActivity(
                identity: UserActivity(state: try state.validated()).identity, state: state, keywords: [],
                contentAttributeSet: nil))
    }

    @Test func whatASearchFoundIsGivenUpByAClickLikeAnOffer() async throws {
        try await withDesktop { desktop, world, server, host in
            let app = try await world.runningApp(
                FakeApp(
                    journal: world.journal, will: { false },
                    take: {
                        for await _ in AsyncStream<Void>(unfolding: { try? await Task.sleep(for: .seconds(600)) }) {}
                        return true
                    }))
            let result = try searchResult()
            let opening = Task { try await desktop.open(result) }
            let shown = try #require(await server.nextShown())
            #expect(shown.actions == ["cancel", "Cancel"])
            await world.journal.wait(for: "continue  string(\"bread\")")
            // It is under way, as whatever else is.
            let again = await #expect(throws: BatonBusError.self) { try await desktop.open(result) }
            #expect(again?.code == .limitReached)
            try server.choose("cancel", of: shown.id)
            let error = await #expect(throws: BatonBusError.self) { try await opening.value }
            #expect(error?.code == .userCancelled)
            #expect(await desktop.openings.isEmpty)
            #expect(host.progress.isEmpty)
            app.close()
        }
    }

    @Test func whatASearchFoundOpensInItsApp() async throws {
        try await withDesktop { desktop, world, _, _ in
            let app = try await world.runningApp(FakeApp(journal: world.journal))
            let result = try searchResult()
            try await desktop.open(result)
            #expect(world.journal.all.contains("continue  string(\"bread\")"))
            let gone = SearchResult(application: "org.example.Gone", activity: result.activity)
            await #expect(throws: BatonBusError.self) { try await desktop.open(gone) }
            app.close()
        }
    }

    @Test func ruleDoesNotContinueWhatFlickersAtTheEdge() async throws {
        try await withDesktop("rule = near signal=-60") { desktop, world, _, _ in
            for _ in 0..<20 {
                _ = await desktop.offered(offer(signal: -59))
                _ = await desktop.offered(offer(signal: -75))
            }
            #expect(await desktop.triggerAlarms.isEmpty)
            #expect(await desktop.continued.isEmpty)
        }
    }

    @Test func ruleThatSaysNeverShowsNothing() async throws {
        try await withDesktop("rule = never device=desk") { desktop, _, server, _ in
            _ = await desktop.offered(offer())
            try await desktop.removeRule(1)
            #expect(await server.nextShown()?.summary == "Notes from desk")
            try await desktop.addRule("never type=org.example.*")
            #expect(await server.nextClosed() == 1)
            #expect(await desktop.rules == ["never type=org.example.*"])
        }
    }

    @Test func ruleForANameIsForTheDeviceThatHadItThen() async throws {
        try await withDesktop { desktop, _, _, host in
            try await desktop.addRule("never device=desk")
            #expect(await desktop.rules == ["never device=0a1b2c3d"])
            // A hostile member takes the name, and the other one another.
            host.devices = [
                CircleMember(device: "0a1b2c3d", name: "study"), CircleMember(device: "66666666", name: "desk"),
            ]
            var hostile = offer("offer-2")
            hostile.device = "66666666"
            #expect(await desktop.action(for: hostile) == .ask)
            var renamed = offer()
            renamed.deviceName = "study"
            #expect(await desktop.action(for: renamed) == .never)

            host.devices.append(CircleMember(device: "77777777", name: "desk"))
            for (rule, says) in [
                ("near device=desk", "66666666, 77777777"), ("near device=nobody", "there is no other device nobody"),
                ("near device=88888888", "there is no other device 88888888"),
            ] {
                let error = await #expect(throws: BatonBusError.self) { try await desktop.addRule(rule) }
                #expect(error?.message.contains(says) == true, "\(error?.message ?? "")")
            }
            #expect(await desktop.rules.count == 1)
        }
    }

    @Test func namesInTheConfigurationArePutIntoIDsOnceTheCircleIsKnown() async throws {
        try await withDesktop { desktop, world, _, host in
            host.devices = []
            await desktop.serviceFares(.noCircle, reason: "none")
            try Data("rule = near device=desk\n".utf8).write(to: world.root.appending(path: "baton.conf"))
            while await desktop.warnings.isEmpty { await Task.yield() }
            #expect(await desktop.warnings.first?.contains("baton.conf, line 1: there is no other device desk") == true)
            #expect(await desktop.action(for: offer()) == .ask)
            host.devices = [CircleMember(device: "0a1b2c3d", name: "desk")]
            await desktop.serviceFares(.running, reason: "")
            while await desktop.rules != ["near device=0a1b2c3d signal=-60"] { await Task.yield() }
            #expect(await desktop.warnings.isEmpty)
            #expect(await desktop.action(for: offer()) == .near(signal: -60))
        }
    }

    @Test func pauseAdvertisesAndShowsNothingUntilItIsOver() async throws {
        try await withDesktop { desktop, world, server, host in
            _ = await desktop.offered(offer())
            let id = try #require(await server.nextShown()).id
            await desktop.setPause(Pause())
            #expect(await server.next() == .closed(id))
            #expect(!host.advertises("org.example.note"))
            await desktop.setPause(Pause(until: Date(timeIntervalSinceNow: 0.2)))
            #expect(await server.nextShown()?.summary == "Notes from desk")
            #expect(host.advertises("org.example.note"))
        }
    }

    @Test func pauseOutlastsADesktopThatIsMadeAnew() async throws {
        let memory = PauseMemory()
        try await withDesktop(pauseMemory: memory) { desktop, _, _, _ in
            await desktop.setPause(Pause(until: Date(timeIntervalSinceNow: 3_600)))
        }
        try await withDesktop(pauseMemory: memory) { desktop, _, _, host in
            #expect(!host.advertises("org.example.note"))
            _ = await desktop.offered(offer())
            #expect(await desktop.panel.bestOffer == nil)
            await desktop.setPause(Pause(until: Date(timeIntervalSinceNow: 0.2)))
        }
        // It ends when it was to end, also where another desktop has begun it.
        try await withDesktop(pauseMemory: memory) { desktop, _, server, host in
            _ = await desktop.offered(offer())
            #expect(await server.nextShown()?.summary == "Notes from desk")
            #expect(host.advertises("org.example.note"))
        }
    }

    @Test func nothingIsShownOfAnOfferThatWasContinuedWhileItLasts() async throws {
        try await withDesktop { desktop, world, server, _ in
            func isOffer(_ shown: FakeNotificationServer.Shown) -> Bool { shown.summary == "Notes from desk" }
            let app = try await world.runningApp(FakeApp(journal: world.journal))
            _ = await desktop.offered(offer())
            #expect(await server.nextShown(where: isOffer) != nil)
            _ = try await desktop.open("offer-1", options: OpenOptions())
            // The other device goes on offering it.
            _ = await desktop.offered(offer(title: "Shopping"))
            _ = await desktop.offered(offer("offer-2", title: "Another"))
            #expect(await server.nextShown(where: isOffer)?.body == "Another")
            // What it offers later is news.
            await desktop.withdrawn("offer-1")
            _ = await desktop.offered(offer(title: "Later"))
            #expect(await server.nextShown(where: isOffer)?.body == "Later")
            app.close()
        }
    }

    @Test func ruleThatHidesATypeKeepsItToThisDevice() async throws {
        try await withDesktop("rule = hide type=org.example.diary") { _, _, _, host in
            while host.advertises("org.example.diary") { await Task.yield() }
            #expect(host.advertises("org.example.note"))
        }
    }

    @Test func pauseThatIsOverBeforeItWasToldOfLeavesNothingHidden() async throws {
        try await withDesktop { desktop, world, _, host in
            let (news, arrive) = AsyncStream.makeStream(of: Void.self)
            host.holdAdvertising(until: Task { for await _ in news {} })
            let pausing = Task { await desktop.setPause(Pause(until: nil)) }
            await world.journal.wait(for: "advertising held")
            await desktop.setPause(nil)
            #expect(host.advertises("org.example.note"))
            arrive.finish()
            await pausing.value
            #expect(host.advertises("org.example.note"))
        }
    }

    @Test func mistakeInTheConfigurationIsToldAndWhatWasThereStays() async throws {
        try await withDesktop("rule = never device=desk") { desktop, world, _, _ in
            let file = world.root.appending(path: "baton.conf")
            // At once: an empty file has no rules.
            try Data("rule = nonsense\n".utf8).write(to: file, options: .atomic)
            while await desktop.warnings.isEmpty { await Task.yield() }
            #expect(await desktop.warnings.first?.contains("baton.conf, line 1 does not begin with") == true)
            #expect(await desktop.rules == ["never device=0a1b2c3d"])
            try Data("rule = ask\n".utf8).write(to: file)
            while await desktop.rules != ["ask"] { await Task.yield() }
            #expect(await desktop.warnings.isEmpty)
        }
    }

    @Test func appThatTheConfigurationNamesFromNowOnIsToldOfWhatIsOffered() async throws {
        try await withDesktop { desktop, world, _, _ in
            let other = world.root.appending(path: "applications/org.example.Other.desktop")
            let types = "\(HandoverWorld.type);org.example.other;"
            try Data("[Desktop Entry]\nName=Other\nX-Baton-ActivityTypes=\(types)\n".utf8).write(to: other)
            await world.journal.wait(for: "declared org.example.other")
            let first = try #require(await desktop.offered(offer()).application)
            let second = first == "org.example.Other" ? HandoverWorld.identifier : "org.example.Other"
            try Data("default-app.\(HandoverWorld.type) = \(second)\n".utf8)
                .write(to: world.root.appending(path: "baton.conf"))
            await world.journal.wait(for: "changed \(second)")
            #expect(await desktop.offers["offer-1"]?.application == second)
        }
    }

    @Test func configurationThatIsALinkIsReadAgainWhenItsTargetChanges() async throws {
        try await withDesktop("rule = never device=desk") { desktop, world, _, _ in
            let (file, directory) = (
                world.root.appending(path: "baton.conf"), world.root.appending(path: "dotfiles/baton")
            )
            let target = directory.appending(path: "baton.conf")
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            try Data("rule = ask\n".utf8).write(to: target)
            try FileManager.default.removeItem(at: file)
            try FileManager.default.createSymbolicLink(
                atPath: file.path, withDestinationPath: "dotfiles/baton/baton.conf")
            while await desktop.rules != ["ask"] { await Task.yield() }
            try Data("rule = never\n".utf8).write(to: target)
            while await desktop.rules != ["never"] { await Task.yield() }
        }
    }

    @Test func sessionWithoutANotificationServerIsToldInTheStatus() async throws {
        try await withDesktop { desktop, world, server, _ in
            server.connection.close()
            // It may be taken for the server until the bus has told that it has gone.
            while try await world.connection.owner(of: FakeNotificationServer.name) != nil { await Task.yield() }
            _ = await desktop.offered(offer())
            await desktop.openForClick("gone", token: nil)
            while await desktop.warnings.isEmpty { await Task.yield() }
            #expect(await desktop.warnings.first?.contains("no notification server") == true)
            // What was news is not kept; what lasts is shown by a server that comes.
            while await !desktop.notices.isEmpty { await Task.yield() }
            let next = try await FakeNotificationServer(bus: world.bus)
            #expect(await next.nextShown()?.summary == "Notes from desk")
            #expect(await desktop.warnings.isEmpty)
        }
    }

    @Test func offerIsOpenedOnceAtATime() async throws {
        try await withDesktop { desktop, world, _, host in
            let app = try await world.runningApp(FakeApp(journal: world.journal))
            host.holdsFetches = true
            _ = await desktop.offered(offer())
            let first = Task { try await desktop.open("offer-1", options: OpenOptions()) }
            await world.journal.wait(for: "will org.example.note from desk")
            let error = await #expect(throws: BatonBusError.self) {
                try await desktop.open("offer-1", options: OpenOptions())
            }
            #expect(error?.code == .limitReached)
            await desktop.cancel("offer-1")
            await #expect(throws: BatonBusError.self) { try await first.value }
            app.close()
        }
    }
}
