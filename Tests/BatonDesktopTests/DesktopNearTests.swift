// SPDX-License-Identifier: Apache-2.0

import BatonBus
import BatonTesting
import DesktopEntries
import Foundation
import Testing

@testable import BatonDesktop

/// What a rule does when a device comes near; when that is, is tested in ``NearRulesTests``.
extension DesktopTests {
    func withNearRule(
        _ body: @Sendable (Desktop, HandoverWorld, FakeNotificationServer, FakeHost, ManualClock) async throws -> Void
    ) async throws {
        let clock = ManualClock()
        try await withDesktop("rule = near signal=-60", clock: clock) { try await body($0, $1, $2, $3, clock) }
    }

    /// An offer's device is heard near by, for as long as a rule wants.
    func comesNear(_ desktop: Desktop, _ clock: ManualClock) async {
        _ = await desktop.offered(offer(signal: -55))
        clock.advance(by: NearTrigger.delay)
        await desktop.refreshAll()
    }

    @Test("A device that comes near while the screen is locked is continued once it is not")
    func comesNearWhileLocked() async throws {
        try await withNearRule { desktop, world, _, _, clock in
            let app = try await world.runningApp(FakeApp(journal: world.journal))
            await desktop.sessionChanged(SessionState(isLocked: true))
            await comesNear(desktop, clock)
            #expect(await desktop.nearRules.isNear("offer-1"))
            #expect(await desktop.openings.count == 0)
            await desktop.sessionChanged(SessionState())
            await world.journal.wait(for: "accepted true by app")
            app.close()
        }
    }

    @Test("After another user's session a rule acts when the radio has listened for 20 s, without anybody's asking")
    func listensBeforeRules() async throws {
        try await withNearRule { desktop, world, _, _, clock in
            let app = try await world.runningApp(FakeApp(journal: world.journal))
            await desktop.sessionChanged(SessionState(isActive: false))
            await desktop.sessionChanged(SessionState())
            await comesNear(desktop, clock)
            #expect(await desktop.nearRules.isNear("offer-1"))
            #expect(await desktop.openings.count == 0)
            await clock.waitForMoments { $0 == [NearRules.listeningTime] }
            clock.advance(by: NearRules.listeningTime - NearTrigger.delay)
            await world.journal.wait(for: "accepted true by app")
            app.close()
        }
    }

    @Test("An app that is installed later gets what is near")
    func installedWhileNear() async throws {
        try await withNearRule { desktop, world, _, host, clock in
            let app = try await world.runningApp(FakeApp(journal: world.journal))
            let entry = world.root.appending(path: "applications/\(HandoverWorld.identifier).desktop")
            let text = try String(contentsOf: entry, encoding: .utf8)
            try FileManager.default.removeItem(at: entry)
            try await host.hearsOfNoApp()
            #expect(await desktop.index.entries.isEmpty)
            await comesNear(desktop, clock)
            #expect(await desktop.nearRules.isNear("offer-1"))
            #expect(await desktop.openings.count == 0)
            try text.write(to: entry, atomically: true, encoding: .utf8)
            await world.journal.wait(for: "accepted true by app")
            app.close()
        }
    }

    @Test("A rule tries again when the other device was not reached at once")
    func triesAgain() async throws {
        try await withNearRule { desktop, world, _, host, clock in
            let app = try await world.runningApp(FakeApp(journal: world.journal))
            host.failure = BatonError(.connectionUnavailable, "out of range")
            await comesNear(desktop, clock)
            await clock.waitForMoments { $0 == [NearTrigger.delay + NearTrigger.retryDelay] }
            host.failure = nil
            clock.advance(by: NearTrigger.retryDelay)
            await world.journal.wait(for: "accepted true by app")
            app.close()
        }
    }

    /// Nobody has asked for the app, and it would have nothing to show.
    @Test("A near rule that is refused starts no app and tells none; the user hears of it")
    func refusedNearRule() async throws {
        for runs in [false, true] {
            try await withNearRule { desktop, world, server, host, clock in
                let app = runs ? try await world.runningApp(FakeApp(journal: world.journal)) : nil
                host.failure = BatonError(.notFound, "the activity has ended on the other device")
                await comesNear(desktop, clock)
                try await host.progress.wait("a failure") { $0.contains(where: { $0.phase == .failed }) ? () : nil }
                #expect(!host.progress.value.contains { $0.phase == .starting })
                // Of what a rule has chosen the user hears, though no app is there to tell it.
                let told = await server.nextShown { $0.body == "the activity has ended on the other device" }
                #expect(told?.summary == "Notes could not continue from desk")
                #expect(world.journal.all.allSatisfy { !$0.hasPrefix("will") && !$0.hasPrefix("failed") })
                #expect(world.reported.isEmpty, "the app was started: \(world.reported)")
                app?.close()
            }
        }
    }

    /// Who replays what a device advertises.
    @Test("Nothing is started or shown for what seems near and does not answer there")
    func seemsNearOnly() async throws {
        try await withNearRule { desktop, world, server, host, clock in
            let app = try await world.runningApp(FakeApp(journal: world.journal))
            host.isNotReached = true
            await comesNear(desktop, clock)
            await world.journal.wait(for: "not reached near -68")
            await clock.waitForMoments { $0 == [NearTrigger.delay + NearTrigger.firstMissPause] }
            #expect(await desktop.openings.count == 0)
            #expect(!world.journal.all.contains { $0.hasPrefix("will") })
            #expect(host.progress.value.isEmpty && host.askedNear.value.isEmpty)
            // Who comes itself, later, is continued.
            host.isNotReached = false
            _ = await desktop.offered(offer(signal: -90))
            await comesNear(desktop, clock)
            await world.journal.wait(for: "accepted true by app")
            #expect(await server.nextShown()?.summary == "Notes from desk")
            app.close()
        }
    }

    @Test("A rule asks only near by, and the user on whatever way there is")
    func ruleAsksOnlyNearBy() async throws {
        try await withNearRule { desktop, world, _, host, clock in
            let app = try await world.runningApp(FakeApp(journal: world.journal))
            await comesNear(desktop, clock)
            await world.journal.wait(for: "accepted true by app")
            #expect(host.askedNear.value == [-68])
            _ = await desktop.offered(offer("offer-2", signal: -90))
            _ = try await desktop.open("offer-2", options: OpenOptions())
            #expect(host.askedNear.value == [-68, nil])
            app.close()
        }
    }

    @Test("What the user gave up is not tried again, and the user may yet want it")
    func givenUpIsNotTried() async throws {
        try await withNearRule { desktop, world, server, host, clock in
            let app = try await world.runningApp(FakeApp(journal: world.journal))
            host.holdsFetches = true
            await comesNear(desktop, clock)
            try await host.askedNear.wait("a question") { $0.isEmpty ? nil : () }
            await desktop.openings.cancel("offer-1")
            for _ in 0..<2 {
                #expect(await server.nextShown { $0.summary == "Notes from desk" } != nil)
            }
            try await host.logged.wait("the end of its rule") { lines in
                lines.contains { $0.contains("was not continued by its rule") } ? () : nil
            }
            _ = await desktop.offered(offer(signal: -90))
            await comesNear(desktop, clock)
            #expect(await desktop.nearRules.isNear("offer-1"))
            #expect(await desktop.openings.count == 0)
            #expect(host.askedNear.value.count == 1)
            app.close()
        }
    }
}
