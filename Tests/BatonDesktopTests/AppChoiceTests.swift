// SPDX-License-Identifier: Apache-2.0

import BatonDesktop
import DesktopEntries
import Testing

@Suite struct AppChoiceTests {
    private func app(_ identifier: String, name: String = "App", team: String? = nil, types: String) throws
        -> DesktopEntry
    {
        try #require(
            DesktopEntry(
                identifier: identifier,
                text: "[Desktop Entry]\nType=Application\nName=\(name)\nX-Baton-ActivityTypes=\(types)\n"
                    + (team.map { "X-Baton-Team=\($0)" } ?? "")
            ))
    }

    private func candidates(
        _ apps: [DesktopEntry], team: String = "", title: String? = nil, defaults: [String: String] = [:]
    ) -> [String] {
        AppChoice(defaults: defaults)
            .candidates(type: "org.example.notes.edit", team: team, title: title, in: DesktopEntryIndex(apps))
            .map(\.identifier)
    }

    @Test("Only apps that declare the type and belong to the activity's team are candidates")
    func typeAndTeam() throws {
        let apps = [
            try app("a", types: "org.example.notes.edit"), try app("b", types: "org.example.notes"),
            try app("c", team: "blue", types: "org.example.notes.edit"),
        ]
        #expect(candidates(apps) == ["a"])
        #expect(candidates(apps, team: "blue") == ["c"])
        #expect(candidates(apps, team: "red").isEmpty)
    }

    @Test("The user's default app comes first, then the most specific app, then the one whose name matches the title")
    func orderOfCandidates() throws {
        let apps = [
            try app("net.other", types: "org.example.notes.edit"),
            try app("org.example.Suite", types: "org.example.notes.edit"),
            try app("org.example.notes", types: "org.example.notes.edit"),
            try app("org.example.Zed", name: "Zed", types: "org.example.notes.edit"),
        ]
        #expect(candidates(apps) == ["org.example.notes", "org.example.Suite", "org.example.Zed", "net.other"])
        #expect(candidates(apps, title: "Letter - zed").prefix(2) == ["org.example.notes", "org.example.Zed"])
        #expect(candidates(apps, defaults: ["org.example.notes.edit": "net.other"]).first == "net.other")
    }

    private let edit = "org.example.notes.edit"

    private func editor(_ identifier: String, _ documents: String) throws -> DesktopEntry {
        try #require(
            DesktopEntry(
                identifier: identifier,
                text: "[Desktop Entry]\nType=Application\nX-Baton-DocumentActivityTypes=\(documents)=\(edit)"))
    }

    @Test("The desktop's default for documents comes after the user's choice and before the most specific app")
    func desktopsDefault() throws {
        let apps = [try editor("net.other", "text/plain"), try editor("org.example.notes", "text/plain")]
        func first(_ type: String, defaults: [String: String] = [:]) -> String? {
            let index = DesktopEntryIndex(apps, mimeDefaults: MimeDefaults(["\(type)": ["net.other"]]))
            return AppChoice(defaults: defaults).candidates(type: edit, team: "", title: nil, in: index).first?
                .identifier
        }
        #expect(first("text/plain") == "net.other")
        #expect(first("text/html") == "org.example.notes")
        #expect(first("text/plain", defaults: [edit: "org.example.notes"]) == "org.example.notes")
    }

    /// Requirement 106.
    @Test("The default browser continues a page if it declares the type, and otherwise only opens the address")
    func browserClaimsOrOpens() throws {
        let web = "NSUserActivityTypeBrowsingWeb"
        let apps = [try app("a.reader", types: web), try app("firefox", types: web)]
        func choice(_ browser: String?, defaults: [String: String] = [:]) throws -> String? {
            let mime = MimeDefaults(["x-scheme-handler/https": browser.map { [$0] } ?? []])
            let (choice, index) = (AppChoice(defaults: defaults), DesktopEntryIndex(apps, mimeDefaults: mime))
            let best = try #require(choice.candidates(type: web, team: "", title: nil, in: index).first)
            return choice.isForBrowser(type: web, best: best, in: index) ? nil : best.identifier
        }
        #expect(try choice("firefox") == "firefox")
        #expect(try choice("chromium") == nil)
        #expect(try choice("chromium", defaults: [web: "a.reader"]) == "a.reader")
        #expect(try choice(nil) == "a.reader")
    }
}
