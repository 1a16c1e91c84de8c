// SPDX-License-Identifier: Apache-2.0

import BatonBus
import BatonTesting
import Foundation
import Testing

@testable import BatonDesktop

/// Pauses.
extension DesktopTests {
    @Test("Nothing is advertised or shown during a pause")
    func pauseUntilOver() async throws {
        let clock = ManualClock()
        try await withDesktop(clock: clock) { desktop, _, server, host in
            _ = await desktop.offered(offer())
            let id = try #require(await server.nextShown()).id
            await desktop.setPause(Pause())
            #expect(await server.next() == .closed(id))
            #expect(!host.advertises("org.example.note"))
            await desktop.setPause(Pause(until: Date(timeIntervalSince1970: Double(clock.unixTime + 10))))
            await clock.waitForSleepers()
            clock.advance(by: .seconds(10))
            #expect(await server.nextShown()?.summary == "Notes from \"desk\"")
            #expect(host.advertises("org.example.note"))
        }
    }

    @Test("A pause outlasts a restarted desktop")
    func pauseOutlastsDesktop() async throws {
        let memory = PauseMemory()
        try await withDesktop(pauseMemory: memory) { desktop, _, _, _ in
            await desktop.setPause(Pause(until: Date(timeIntervalSinceNow: 3_600)))
        }
        try await withDesktop(pauseMemory: memory) { desktop, _, _, host in
            #expect(!host.advertises("org.example.note"))
            var told = desktop.panels.makeAsyncIterator()
            _ = await desktop.offered(offer())
            await desktop.serviceChanged(to: .running, because: nil)
            let panel = try #require(await told.next())
            #expect(panel.state == .paused && panel.bestOffer == nil)
        }
    }

    @Test("If a pause ends while it is still taking effect, nothing stays hidden")
    func shortPause() async throws {
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
}
