// SPDX-License-Identifier: Apache-2.0

import BatonBus
import Testing

@testable import BatonDesktop

/// Tests which programs may cancel a hand-over to an app.
extension DesktopTests {
    private static func sandboxed(_ id: String?) -> Caller {
        Caller(applicationID: id, kind: .flatpak, isSandboxed: true)
    }

    /// Begins to open an offer whose activity never comes.
    private func withOpening(
        _ body: @Sendable (Desktop, _ app: ClientID, _ opening: Task<OpenedOffer, any Error>) async throws -> Void
    ) async throws {
        try await withDesktop { desktop, world, _, host in
            let app = try await world.runApp()
            host.holdsFetches = true
            _ = await desktop.offered(offer())
            let opening = Task { try await desktop.open("offer-1", options: OpenOptions()) }
            await world.journal.wait(for: "will org.example.note from desk")
            try await body(desktop, app.id, opening)
            opening.cancel()
            let error = await #expect(throws: BatonError.self) { try await opening.value }
            #expect(error?.code == .userCancelled)
        }
    }

    @Test("A sandboxed program cannot cancel a hand-over to another app")
    func sandboxedMayNotCancel() async throws {
        try await withOpening { desktop, _, _ in
            for caller in [Self.sandboxed("org.example.Other"), .unidentified] {
                let error = await #expect(throws: BatonError.self) {
                    try await desktop.cancel(
                        "offer-1", by: ClientID(rawValue: ":1.999"), caller, mayManage: false)
                }
                #expect(error?.code == .notAllowed)
            }
            #expect(await desktop.openings["offer-1"]?.isCancelled == false)
            // Cancelling an unknown offer throws nothing.
            try await desktop.cancel(
                "offer-2", by: ClientID(rawValue: ":1.999"), .unidentified, mayManage: false)
        }
    }

    @Test("An app cancels its own hand-over")
    func appGivesUpWhatItIsHanded() async throws {
        try await withOpening { desktop, app, opening in
            try await desktop.cancel("offer-1", by: app, .unidentified, mayManage: false)
            _ = await opening.result
        }
    }

    @Test("Another connection of the app cancels the app's hand-over")
    func appsOtherConnection() async throws {
        try await withOpening { desktop, _, opening in
            try await desktop.cancel(
                "offer-1", by: ClientID(rawValue: ":1.999"), Self.sandboxed(HandoverWorld.identifier),
                mayManage: false)
            _ = await opening.result
        }
    }

    @Test("A program of the user cancels any hand-over")
    func usersProgramCancels() async throws {
        try await withOpening { desktop, _, opening in
            try await desktop.cancel(
                "offer-1", by: ClientID(rawValue: ":1.999"), .ordinary, mayManage: true)
            _ = await opening.result
        }
    }
}
