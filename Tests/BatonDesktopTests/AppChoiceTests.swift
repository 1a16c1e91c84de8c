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
                text: "[Desktop Entry]\nName=\(name)\nX-Baton-ActivityTypes=\(types)\n"
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

    @Test func onlyAppsThatDeclareTheTypeAndAreOfItsTeam() throws {
        let apps = [
            try app("a", types: "org.example.notes.edit"), try app("b", types: "org.example.notes"),
            try app("c", team: "blue", types: "org.example.notes.edit"),
        ]
        #expect(candidates(apps) == ["a"])
        #expect(candidates(apps, team: "blue") == ["c"])
        #expect(candidates(apps, team: "red").isEmpty)
    }

    @Test func usersDefaultThenTheMostSpecificThenTheTitlesMatch() throws {
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
}
