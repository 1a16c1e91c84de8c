// SPDX-License-Identifier: Apache-2.0

import BatonBus
import BatonTesting
import Diagnosis
import Foundation
@_spi(Reported) import HandoffModel
import Testing

@testable import BatonDesktop

/// Tests notifications about hand-overs that fail or take long.
extension DesktopTests {
    private static let unreachable = BatonError(.connectionUnavailable, reported: "out of range")

    @Test("A click on the notification of a withdrawn offer shows an error")
    func clickOnWhatHasGoneSaysSo() async throws {
        try await withDesktop { desktop, _, server, _ in
            await desktop.openForClick("gone", token: nil)
            let shown = try #require(await server.nextShown())
            #expect(shown.summary == "It could not be continued")
            #expect(shown.body == BatonError(.notFound, .offerGone).message)
            #expect(shown.actions.isEmpty)
        }
    }

    @Test("An error is shown for a web page that cannot be fetched")
    func unfetchedWebPage() async throws {
        try await withDesktop { desktop, _, server, host in
            host.failure = Self.unreachable
            _ = await desktop.offered(offer(type: nil, hasWebpage: true))
            try server.choose("default", of: try #require(await server.nextShown()).id)
            // The notification of the progress may have ended before it could be shown.
            let failure = try #require(await server.nextShown { $0.summary.contains("could not be continued") })
            #expect(failure.summary == "What \"desk\" offered could not be continued" && failure.body == "out of range")
        }
    }

    @Test("A failure is shown even if notifications of offers are off")
    func failureWithoutOffers() async throws {
        try await withDesktop("notifications = off") { desktop, _, server, host in
            host.failure = Self.unreachable
            _ = await desktop.offered(offer(type: nil, hasWebpage: true))
            await #expect(throws: BatonError.self) { try await desktop.open("offer-1", options: OpenOptions()) }
            #expect(await server.nextShown { $0.body == "out of range" } != nil)
        }
    }

    @Test("A hand-over that the user cancelled is not shown as a failure")
    func whatTheUserGivesUpIsNoNews() async throws {
        try await withDesktop("notifications = off") { desktop, _, server, host in
            host.holdsFetches = true
            _ = await desktop.offered(offer(type: nil, hasWebpage: true))
            await desktop.openForClick("offer-1", token: nil)
            let progress = try #require(await server.nextShown())
            #expect(progress.body == "Continuing from \"desk\"…" && progress.actions == ["cancel", "Cancel"])
            try server.choose("cancel", of: progress.id)
            #expect(await server.nextClosed() == progress.id)
            // The offer can be continued again.
            for await status in desktop.panels where status.bestOffer != nil { break }
            #expect(await desktop.openings.count == 0)
            #expect(await desktop.plan.restyled(NotificationStyle()).isEmpty)
        }
    }

    @Test(
        "A locked screen shows no more of a failure than the user configured",
        arguments: [("app", "It could not be continued" as String?), ("hide", nil), ("full", "\"desk\" offered")])
    func failureOnLockScreen(choice: String, shows: String?) async throws {
        try await withDesktop("notifications = off\nnotifications.on-lock-screen = \(choice)") {
            desktop, _, server, host in
            host.failure = Self.unreachable
            await desktop.sessionChanged(SessionState(isLocked: true))
            _ = await desktop.offered(offer(type: nil, hasWebpage: true))
            await #expect(throws: BatonError.self) { try await desktop.open("offer-1", options: OpenOptions()) }
            if let shows {
                let locked = try #require(await server.nextShown { $0.summary.contains("could not be continued") })
                #expect(locked.summary.contains(shows))
                #expect(choice == "full" || !(locked.summary + locked.body).contains("desk"))
            }
            guard choice != "full" else { return }
            await desktop.sessionChanged(SessionState())
            let unlocked = try #require(await server.nextShown())
            #expect(
                unlocked.summary == "What \"desk\" offered could not be continued" && unlocked.body == "out of range")
        }
    }

    @Test("Repeated fetches without acceptance are shown even if offers are not, and a click stops the other laptop")
    func fetchesInVain() async throws {
        try await withDesktop("notifications = off") { desktop, world, server, _ in
            await desktop.fetchesInVain(of: "0a1b2c3d", named: "desk", count: 10)
            let shown = try #require(await server.nextShown())
            #expect(shown.body.hasPrefix("\"desk\" has asked 10 times, and has not continued anything."))
            #expect(shown.actions == ["stop", "Refuse"])
            try server.choose("stop", of: shown.id)
            #expect(await server.nextClosed() == shown.id)
            await world.journal.wait(for: "stop 0a1b2c3d")
            // If the user closes the notification, the next report shows it again.
            for _ in 0..<2 {
                await desktop.fetchesInVain(of: "0a1b2c3d", named: "desk", count: 10)
                try server.dismiss(try #require(await server.nextShown()).id)
                try await desktop.forgets("fetches:0a1b2c3d")
            }
            await desktop.fetchesInVain(of: "0a1b2c3d", named: "desk", count: 10)
            let last = try #require(await server.nextShown())
            await desktop.fetchesAreOver(of: "0a1b2c3d")
            #expect(await server.nextClosed() == last.id)
        }
    }

    @Test("A failure whose notification has left the screen is not shown again")
    func goneFailureStaysAway() async throws {
        try await withDesktop("notifications = off") { desktop, _, server, _ in
            await desktop.openForClick("gone", token: nil)
            try server.dismiss(try #require(await server.nextShown()).id)
            try await desktop.forgetsNews()
            #expect(await desktop.board.entries.isEmpty)
            // The next failure is shown again.
            await desktop.openForClick("gone", token: nil)
            #expect(await server.nextShown()?.summary == "It could not be continued")
        }
    }
}
