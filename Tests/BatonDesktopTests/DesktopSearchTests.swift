// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonBus
import BatonTesting
import Testing

@testable import BatonDesktop

/// Opening search results.
extension DesktopTests {
    private func searchResult() throws -> SearchResult {
        var state = ActivityState(activityType: HandoverWorld.type)
        state.title = "Shopping"
        state.userInfo = ["text": .string("bread")]
        return SearchResult(
            application: HandoverWorld.identifier,
            activity: SavedUserActivity(
                identity: ActivityIdentity(), state: try state.validated(), keywords: [],
                contentAttributeSet: nil))
    }

    @Test("The user can cancel the opening of a search result with a click, as with an offer")
    func foundIsGivenUpByClick() async throws {
        try await withDesktop { desktop, world, server, host in
            try await world.runApp(
                will: { false },
                take: {
                    for await _ in AsyncStream<Void>(unfolding: { try? await Task.sleep(for: .seconds(600)) }) {}
                    return true
                })
            let result = try searchResult()
            let opening = Task { try await desktop.open(result) }
            let shown = try #require(await server.nextShown())
            #expect(shown.actions == ["cancel", "Cancel"])
            await world.journal.wait(for: "continue  string(\"bread\")")
            // The result is being opened, so a second attempt is refused.
            let again = await #expect(throws: BatonError.self) { try await desktop.open(result) }
            #expect(again?.code == .limitReached)
            try server.choose("cancel", of: shown.id)
            let error = await #expect(throws: BatonError.self) { try await opening.value }
            #expect(error?.code == .userCancelled)
            #expect(await desktop.openings.count == 0)
            #expect(host.progress.value.isEmpty)
        }
    }

    @Test("A search result opens in its app")
    func foundOpensInItsApp() async throws {
        try await withDesktop { desktop, world, _, _ in
            try await world.runApp()
            let result = try searchResult()
            try await desktop.open(result)
            #expect(world.journal.all.contains("continue  string(\"bread\")"))
            let gone = SearchResult(application: "org.example.Gone", activity: result.activity)
            await #expect(throws: BatonError.self) { try await desktop.open(gone) }
        }
    }
}
