// SPDX-License-Identifier: Apache-2.0

import BatonBus
import BatonTesting
import DesktopEntries
import Diagnosis
import Foundation
import Testing

@testable import BatonDesktop

/// What a rule does that cannot continue at the moment when the device comes near.
extension DesktopTests {
    private static let near = "rule = near signal=-60"

    @Test("A device that comes near while the screen is locked is continued once it is not")
    func comesNearWhileLocked() async throws {
        try await withDesktop(Self.near) { desktop, world, _, _ in
            let app = try await world.runningApp(FakeApp(journal: world.journal))
            await desktop.sessionChanged(SessionState(isLocked: true))
            _ = await desktop.offered(offer(signal: -55))
            try await desktop.comesNear("offer-1")
            #expect(await desktop.openings.isEmpty)
            await desktop.sessionChanged(SessionState())
            await world.journal.wait(for: "accepted true by app")
            app.close()
        }
    }

    @Test("After a pause, and after another user's session, a rule acts when the radio has listened for 20 s")
    func listensBeforeRules() async throws {
        let clock = ManualClock()
        try await withDesktop(Self.near) { desktop, world, _, _ in
            await desktop.use(DesktopClock(uptime: { clock.uptime }, sleep: { try await clock.sleep(until: $0) }))
            let app = try await world.runningApp(FakeApp(journal: world.journal))
            await desktop.sessionChanged(SessionState(isActive: false))
            _ = await desktop.offered(offer(signal: -55))
            try await desktop.comesNear("offer-1")
            await desktop.sessionChanged(SessionState())
            await clock.waitForSleepers()
            clock.advance(by: Desktop.listeningBeforeRules - .milliseconds(1))
            await desktop.refreshAll()
            #expect(await desktop.triggers["offer-1"]?.isPending == true)
            #expect(await desktop.openings.isEmpty)
            clock.advance(by: .milliseconds(1))
            await world.journal.wait(for: "accepted true by app")
            app.close()
        }
    }

    @Test("A rule whose device is heard without a strength says that it waits for one, until there is one")
    func unknownSignal() async throws {
        try await withDesktop(Self.near) { desktop, _, _, _ in
            for signal in [nil, -90, nil] {
                _ = await desktop.offered(offer(signal: signal))
                #expect(await desktop.findings.contains { $0.code == "signal-unknown" } == (signal == nil))
            }
            #expect(await desktop.hasBegunNothing)
            await desktop.withdrawn("offer-1")
            #expect(await !desktop.findings.contains { $0.code == "signal-unknown" })
        }
    }

    @Test("A device that goes while the screen is locked is not continued")
    func goesWhileLocked() async throws {
        try await withDesktop(Self.near) { desktop, _, _, _ in
            await desktop.sessionChanged(SessionState(isLocked: true))
            _ = await desktop.offered(offer(signal: -55))
            try await desktop.comesNear("offer-1")
            _ = await desktop.offered(offer(signal: -90))
            await desktop.sessionChanged(SessionState())
            #expect(await desktop.triggers["offer-1"]?.isPending == false)
            #expect(await desktop.hasBegunNothing)
        }
    }

    @Test("An app that is installed later gets what is near")
    func installedWhileNear() async throws {
        try await withDesktop(Self.near) { desktop, world, _, host in
            let app = try await world.runningApp(FakeApp(journal: world.journal))
            let entry = world.root.appending(path: "applications/\(HandoverWorld.identifier).desktop")
            let text = try String(contentsOf: entry, encoding: .utf8)
            try FileManager.default.removeItem(at: entry)
            try await host.hearsOfNoApp()
            #expect(await desktop.index.entries.isEmpty)
            _ = await desktop.offered(offer(signal: -55))
            try await desktop.comesNear("offer-1")
            try text.write(to: entry, atomically: true, encoding: .utf8)
            await world.journal.wait(for: "accepted true by app")
            app.close()
        }
    }

    @Test("A rule tries again when the other device was not reached at once")
    func triesAgain() async throws {
        try await withDesktop(Self.near) { desktop, world, _, host in
            let app = try await world.runningApp(FakeApp(journal: world.journal))
            host.failure = BatonError(.connectionUnavailable, "out of range")
            _ = await desktop.offered(offer(signal: -55))
            try await host.progress.wait("a failure") { $0.contains(where: { $0.phase == .failed }) ? () : nil }
            host.failure = nil
            await world.journal.wait(for: "accepted true by app")
            app.close()
        }
    }

    /// Nobody has asked for the app, and it would have nothing to show.
    @Test("A near rule that is refused starts no app and tells none; the user hears of it")
    func refusedNearRule() async throws {
        for runs in [false, true] {
            try await withDesktop(Self.near) { desktop, world, server, host in
                let app = runs ? try await world.runningApp(FakeApp(journal: world.journal)) : nil
                host.failure = BatonError(.notFound, "the activity has ended on the other device")
                _ = await desktop.offered(offer(signal: -55))
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
        try await withDesktop(Self.near) { desktop, world, server, host in
            let app = try await world.runningApp(FakeApp(journal: world.journal))
            host.isNotReached = true
            _ = await desktop.offered(offer(signal: -55))
            await world.journal.wait(for: "not reached near -68")
            try await host.until("another try is due") { await desktop.triggers["offer-1"]?.deadline != nil }
            #expect(await desktop.hasBegunNothing)
            #expect(!world.journal.all.contains { $0.hasPrefix("will") })
            #expect(host.progress.value.isEmpty && host.askedNear.value.isEmpty)
            // Who comes itself, later, is continued.
            host.isNotReached = false
            _ = await desktop.offered(offer(signal: -90))
            _ = await desktop.offered(offer(signal: -55))
            await world.journal.wait(for: "accepted true by app")
            #expect(await server.nextShown()?.summary == "Notes from desk")
            app.close()
        }
    }

    @Test("A rule asks only near by, and the user on whatever way there is")
    func ruleAsksOnlyNearBy() async throws {
        try await withDesktop(Self.near) { desktop, world, _, host in
            let app = try await world.runningApp(FakeApp(journal: world.journal))
            _ = await desktop.offered(offer(signal: -55))
            await world.journal.wait(for: "accepted true by app")
            #expect(host.askedNear.value == [-68])
            _ = await desktop.offered(offer("offer-2", signal: -90))
            _ = try await desktop.open("offer-2", options: OpenOptions())
            #expect(host.askedNear.value == [-68, nil])
            app.close()
        }
    }

    @Test("What the user gave up is not tried again")
    func givenUpIsNotTried() async throws {
        try await withDesktop(Self.near) { desktop, world, server, host in
            let app = try await world.runningApp(FakeApp(journal: world.journal))
            host.holdsFetches = true
            _ = await desktop.offered(offer(signal: -55))
            try await host.askedNear.wait("a question") { $0.isEmpty ? nil : () }
            await desktop.cancel("offer-1")
            try await host.until("it is declined") { await desktop.known.isDeclined("offer-1") }
            // The user may yet want it.
            for _ in 0..<2 {
                #expect(await server.nextShown { $0.summary == "Notes from desk" } != nil)
            }
            #expect(await desktop.triggers["offer-1"]?.deadline == nil)
            app.close()
        }
    }

    @Test("What the user gave up is not remembered once the offer has gone")
    func givenUpIsForgotten() async throws {
        try await withDesktop(Self.near) { desktop, world, _, host in
            let app = try await world.runningApp(FakeApp(journal: world.journal))
            host.holdsFetches = true
            // What the first leaves is there when the second has left its own.
            for (name, isGone) in [("offer-1", true), ("offer-2", false)] {
                _ = await desktop.offered(offer(name, signal: -55))
                try await host.until("it is being opened") { await desktop.openings[name] != nil }
                if isGone { await desktop.withdrawn(name) }
                await desktop.cancel(name)
                // Which the log tells after that.
                try await host.until("it is given up") { await desktop.openings[name] == nil }
            }
            try await host.until("it is declined") { await desktop.known.isDeclined("offer-2") }
            #expect(await !desktop.known.isDeclined("offer-1"))
            app.close()
        }
    }

    @Test("What the user continued is nothing for a rule")
    func userHasContinued() async throws {
        try await withDesktop(Self.near) { desktop, world, _, _ in
            let app = try await world.runningApp(FakeApp(journal: world.journal))
            _ = await desktop.offered(offer(signal: -90))
            _ = try await desktop.open("offer-1", options: OpenOptions())
            _ = await desktop.offered(offer(signal: -55))
            try await desktop.staysNear("offer-1")
            #expect(world.journal.all.count { $0.hasPrefix("will") } == 1)
            app.close()
        }
    }
}

extension Desktop {
    /// Whether a device is on its way to being near, or near and waiting.
    var isComing: Bool { triggers.all.contains { $0.deadline != nil || $0.isPending } }
    /// Waits until an offer's device is near, and expects it to be left at that.
    nonisolated func staysNear(_ offer: String) async throws {
        try await comesNear(offer)
        // What would be continued is not waiting any more by then.
        for _ in 0..<1_000 { await Task.yield() }
        #expect(await triggers[offer]?.isPending == true)
        #expect(await openings.isEmpty)
    }
    /// Whether nothing is being continued, and nothing was.
    var hasBegunNothing: Bool { openings.isEmpty && !known.identifiers.contains(where: known.isContinued) }
}
