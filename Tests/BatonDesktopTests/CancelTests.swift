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
                    try await desktop.cancel("offer-1", by: ClientID(rawValue: ":1.999"), caller, mayManage: false)
                }
                #expect(error?.code == .notAllowed)
            }
            #expect(await desktop.openings["offer-1"]?.isCancelled == false)
            // Cancelling an unknown offer throws nothing.
            try await desktop.cancel("offer-2", by: ClientID(rawValue: ":1.999"), .unidentified, mayManage: false)
        }
    }

    @Test(
        "A hand-over is cancelled by the app itself, by another connection of the app, and by a program of the user",
        arguments: [
            (nil, Caller.unidentified, false), (":1.999", sandboxed(HandoverWorld.identifier), false),
            (":1.999", .ordinary, true),
        ] as [(String?, Caller, Bool)])
    func mayCancel(client: String?, caller: Caller, mayManage: Bool) async throws {
        try await withOpening { desktop, app, opening in
            let client = client.map(ClientID.init(rawValue:)) ?? app
            try await desktop.cancel("offer-1", by: client, caller, mayManage: mayManage)
            _ = await opening.result
        }
    }
}
