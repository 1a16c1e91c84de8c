// SPDX-License-Identifier: Apache-2.0

import BatonBus
import BatonTesting
import DesktopEntries
import Foundation
@_spi(Reported) import HandoffModel
import Testing

@testable import BatonDesktop

/// Tests what a rule does when a device comes near. ``NearRulesTests`` tests when that happens.
extension DesktopTests {
    func withNearRule(
        _ body: @Sendable (Desktop, HandoverWorld, FakeNotificationServer, FakeHost, ManualClock) async throws -> Void
    ) async throws {
        let clock = ManualClock()
        try await withDesktop("rule = near signal=-60", clock: clock) { try await body($0, $1, $2, $3, clock) }
    }

    /// Makes an offer's device near for as long as a rule requires.
    func comesNear(_ desktop: Desktop, _ clock: ManualClock) async {
        _ = await desktop.offered(offer(signal: -55))
        clock.advance(by: NearTrigger.delay)
        await desktop.refreshAll()
    }

    @Test("If a device comes near while the screen is locked, its activity is continued after the unlock")
    func comesNearWhileLocked() async throws {
        try await withNearRule { desktop, world, _, _, clock in
            try await world.runApp()
            await desktop.sessionChanged(SessionState(isLocked: true))
            await comesNear(desktop, clock)
            #expect(await desktop.nearRules.isNear("offer-1"))
            #expect(await desktop.openings.count == 0)
            await desktop.sessionChanged(SessionState())
            await world.journal.wait(for: "accepted true by app")
        }
    }

    @Test("After another user's session a rule takes effect once the radio has listened for 20 s")
    func listensBeforeRules() async throws {
        try await withNearRule { desktop, world, _, _, clock in
            try await world.runApp()
            await desktop.sessionChanged(SessionState(isActive: false))
            await desktop.sessionChanged(SessionState())
            await comesNear(desktop, clock)
            #expect(await desktop.nearRules.isNear("offer-1"))
            #expect(await desktop.openings.count == 0)
            await clock.waitForMoments { $0 == [NearRules.listeningTime] }
            clock.advance(by: NearRules.listeningTime - NearTrigger.delay)
            await world.journal.wait(for: "accepted true by app")
        }
    }

    @Test("An app that is installed later gets the activity of a near device")
    func installedWhileNear() async throws {
        try await withNearRule { desktop, world, _, host, clock in
            try await world.runApp()
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
        }
    }

    @Test("A rule tries again if the other device was not reached the first time")
    func triesAgain() async throws {
        try await withNearRule { desktop, world, _, host, clock in
            try await world.runApp()
            host.failure = BatonError(.connectionUnavailable, reported: "out of range")
            await comesNear(desktop, clock)
            await clock.waitForMoments { $0 == [NearTrigger.delay + NearTrigger.retryDelay] }
            host.failure = nil
            clock.advance(by: NearTrigger.retryDelay)
            await world.journal.wait(for: "accepted true by app")
        }
    }

    /// Baton does not call the app, because the user did not choose it and it would have nothing
    /// to show.
    @Test("If the other device refuses, a near rule starts and tells no app, and the user is notified")
    func refusedNearRule() async throws {
        for runs in [false, true] {
            try await withNearRule { desktop, world, server, host, clock in
                if runs { try await world.runApp() }
                host.failure = BatonError(.notFound, reported: "the activity has ended on the other device")
                await comesNear(desktop, clock)
                try await host.progress.wait("a failure") { $0.contains(where: { $0.phase == .failed }) ? () : nil }
                #expect(!host.progress.value.contains { $0.phase == .starting })
                // The user is notified of the failure, because no app is present to show it.
                let told = await server.nextShown { $0.body == "the activity has ended on the other device" }
                #expect(told?.summary == "Notes could not continue what \"desk\" offered")
                #expect(world.journal.all.allSatisfy { !$0.hasPrefix("will") && !$0.hasPrefix("failed") })
                #expect(world.reported.isEmpty, "the app was started: \(world.reported)")
            }
        }
    }

    /// An attacker replays a device's advertisements.
    @Test("If a device seems near but does not answer, Baton starts and shows nothing")
    func seemsNearOnly() async throws {
        try await withNearRule { desktop, world, server, host, clock in
            try await world.runApp()
            host.isNotReached = true
            await comesNear(desktop, clock)
            await world.journal.wait(for: "not reached near -68")
            await clock.waitForMoments { $0 == [NearTrigger.delay + NearTrigger.firstMissPause] }
            #expect(await desktop.openings.count == 0)
            #expect(!world.journal.all.contains { $0.hasPrefix("will") })
            #expect(host.progress.value.isEmpty && host.askedNear.value.isEmpty)
            // If the device really comes near later, its activity is continued.
            host.isNotReached = false
            _ = await desktop.offered(offer(signal: -90))
            #expect(await server.nextShown()?.summary == "Notes from \"desk\"")
            await comesNear(desktop, clock)
            await world.journal.wait(for: "accepted true by app")
        }
    }

    @Test("A rule uses only the radio on which the device is heard, and a user's request any transport")
    func ruleAsksOnlyNearBy() async throws {
        try await withNearRule { desktop, world, _, host, clock in
            try await world.runApp()
            await comesNear(desktop, clock)
            await world.journal.wait(for: "accepted true by app")
            #expect(host.askedNear.value == [-68])
            _ = await desktop.offered(offer("offer-2", signal: -90))
            _ = try await desktop.open("offer-2", options: OpenOptions())
            #expect(host.askedNear.value == [-68, nil])
        }
    }

    @Test("A hand-over that the user cancelled is not repeated, and the user may still open it")
    func givenUpIsNotTried() async throws {
        try await withNearRule { desktop, world, server, host, clock in
            try await world.runApp()
            host.holdsFetches = true
            _ = await desktop.offered(offer(signal: -55))
            #expect(await server.nextShown { $0.summary == "Notes from \"desk\"" } != nil)
            await comesNear(desktop, clock)
            try await host.askedNear.wait("a question") { $0.isEmpty ? nil : () }
            await desktop.openings.cancel("offer-1")
            #expect(await server.nextShown { $0.summary == "Notes from \"desk\"" } != nil)
            try await host.logged.wait("the end of its rule") { lines in
                lines.contains { $0.contains("was not continued by its rule") } ? () : nil
            }
            _ = await desktop.offered(offer(signal: -90))
            await comesNear(desktop, clock)
            #expect(await desktop.nearRules.isNear("offer-1"))
            #expect(await desktop.openings.count == 0)
            #expect(host.askedNear.value.count == 1)
        }
    }
}
