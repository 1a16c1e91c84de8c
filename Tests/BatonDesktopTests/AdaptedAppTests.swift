// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonBus
import DesktopEntries
import Foundation
@_spi(Reported) import HandoffModel
import Testing

@testable import BatonDesktop

/// Tests in which app an adapter continues an activity.
@Suite(.timeLimit(.minutes(3))) struct AdaptedAppTests {
    private func entry(_ name: String, _ lines: String = "") throws -> DesktopEntry {
        try #require(
            DesktopEntry(identifier: name, text: "[Desktop Entry]\nType=Application\nName=The \(name)\n\(lines)"))
    }

    private func index() throws -> DesktopEntryIndex {
        DesktopEntryIndex(
            [try entry("mpv"), try entry("vlc"), try entry("boxed", "X-Flatpak=boxed"), try entry("other")],
            mimeDefaults: MimeDefaults([
                "audio/ogg": ["boxed", "gone", "other", "vlc", "mpv"], "video/ogg": ["boxed", "gone"],
            ]))
    }

    private func choice(_ info: UserInfo, _ apps: String = "mpv;vlc;boxed;gone") throws -> String? {
        var state = ActivityState(activityType: "t")
        state.userInfo = info
        return AdaptedApp.choose(
            for: state, by: try entry("adapter", "X-Baton-Adapter=\(apps)"), in: try index())?.identifier
    }

    @Test("The other device's app is chosen if the adapter lists it by name, and if not, the desktop's default app")
    func order() throws {
        #expect(try choice(["application": .string("mpv"), "mimeType": .string("audio/ogg")]) == "mpv")
        #expect(try choice(["mimeType": .string("audio/ogg")]) == "vlc")
        #expect(try choice(["mimeType": .string("audio/ogg")], "*") == "other")
        // A `*` in the adapter's list names no app.
        #expect(try choice(["application": .string("mpv"), "mimeType": .string("audio/ogg")], "*") == "other")
    }

    @Test("Unknown names and types have no effect, and no app in a sandbox is chosen")
    func foreignWords() throws {
        for name in ["boxed", "gone", "other", "../mpv", ""] {
            #expect(try choice(["application": .string(name), "mimeType": .string("video/ogg")]) == nil)
        }
        #expect(try choice(["application": .int(1), "mimeType": .bool(true)]) == nil)
        #expect(try choice([:]) == nil)
    }

    @Test("When the activity has arrived, the user and the adapter learn which app continues it")
    func shown() async throws {
        let vlc = try entry("vlc")
        try await HandoverWorld.with { world in
            let journal = world.journal
            try await world.runApp(will: { false })
            try await world.handover(to: world.app(), adaptedApp: vlc) {
                await journal.wait(for: "progress")
            }.run()
            #expect(
                journal.all == [
                    "will org.example.note from desk", "progress", "fetched", "progress of The vlc", "given c-1",
                    "continue c-1 string(\"milk\") in vlc", "accepted true", "progress over",
                ])
        }
    }

    @Test("A failure after the activity has arrived counts as the failure of the adapted app")
    func failure() async throws {
        let vlc = try entry("vlc")
        try await HandoverWorld.with { world in
            let refusal = BatonError(.failed, reported: "no such file")
            try await world.runApp(take: { throw refusal }, fail: { throw refusal })
            await #expect(throws: BatonError.self) {
                try await world.handover(to: world.app(), adaptedApp: vlc).run()
            }
            #expect(world.journal.all.last?.hasPrefix("user told of The vlc: ") == true, "\(world.journal.all)")
        }
    }
}
