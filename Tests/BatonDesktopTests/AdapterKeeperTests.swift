// SPDX-License-Identifier: Apache-2.0

import BatonBus
import DesktopEntries
import Diagnosis
import Foundation
import Testing

@testable import BatonDesktop

/// Tests which adapters are active.
@Suite struct AdapterKeeperTests {
    private func adapter(_ name: String, at place: DesktopEntryPlace = .ordinary, _ more: String = "") throws
        -> DesktopEntry
    {
        let lines = "X-Baton-Adapter=mpv\nX-Baton-ActivityTypes=org.example.play\n"
        return try #require(
            DesktopEntry(
                identifier: name, text: "[Desktop Entry]\nType=Application\nName=Music\n\(lines)\(more)", place: place))
    }

    private func states(_ keeper: AdapterKeeper) -> [String: AdapterStatus.State] {
        Dictionary(uniqueKeysWithValues: keeper.summaries.map { ($0.adapter, $0.state) })
    }

    @Test("A setting for an adapter that is not installed is reported")
    func idleSwitches() throws {
        var keeper = AdapterKeeper(store: AdapterStore())
        _ = keeper.admit(DesktopEntryIndex([try adapter("a")]), AdapterSwitches(off: ["a", "nope"]))
        #expect(keeper.idleSwitches == [Finding(.settingsMistake, ["adapter": "nope"])])
    }

    @Test("A rule may name an adapter by the types that it hands over, and the browsers that take part")
    func ownAppNames() throws {
        func app(_ name: String) throws -> DesktopEntry {
            try #require(DesktopEntry(identifier: name, text: "[Desktop Entry]\nType=Application\nName=\(name)"))
        }
        var keeper = AdapterKeeper(store: AdapterStore())
        let apps = [try adapter("a"), try adapter("b"), try app("firefox-esr"), try app("mpv")]
        // An adapter that is off may be switched on at any time.
        _ = keeper.admit(DesktopEntryIndex(apps), AdapterSwitches(off: ["b"]))
        #expect(
            keeper.ownAppNames == OwnAppNames(adapters: ["org.example.play": ["a", "b"]], browsers: ["firefox-esr"]))
    }

    @Test("A package's adapter is active, and the user's own adapter needs permission, again after each change")
    func allowing() throws {
        var keeper = AdapterKeeper(store: AdapterStore())
        let app = try #require(DesktopEntry(identifier: "mpv", text: "[Desktop Entry]\nType=Application\nName=mpv"))
        let defaults = MimeDefaults(["audio/ogg": ["mpv"]])
        func admitted(_ own: DesktopEntry) throws -> DesktopEntryIndex {
            keeper.admit(DesktopEntryIndex([app, try adapter("a"), own], mimeDefaults: defaults), AdapterSwitches())
        }
        let own = try adapter("b", at: .user)
        let before = try admitted(own)
        #expect(Set(before.entries.keys) == ["mpv", "a"] && before.mimeDefaults == defaults)
        #expect(states(keeper) == ["a": .on, "b": .pending] && keeper.active == ["a"] && keeper.finding != nil)
        #expect(keeper.summaries.map(\.isOfUser) == [false, true])
        try keeper.answer(true, to: "b")
        #expect(Set(try admitted(own).entries.keys) == ["mpv", "a", "b"])
        #expect(keeper.active == ["a", "b"] && keeper.finding == nil)
        #expect(try admitted(adapter("b", at: .user, "# changed")).entries["b"] == nil)
        #expect(states(keeper)["b"] == .pending)
        try keeper.answer(false, to: "b")
        #expect(states(keeper)["b"] == .refused && keeper.finding == nil && keeper.active == ["a"])
    }

    @Test("An app takes part if its adapter is on and the needed file exists, but never if it is sandboxed")
    func apps() throws {
        func app(_ name: String, _ more: String = "") throws -> DesktopEntry {
            try #require(
                DesktopEntry(identifier: name, text: "[Desktop Entry]\nType=Application\nName=\(name)\n\(more)"))
        }
        let adapter = try #require(
            DesktopEntry(
                identifier: "z",
                text: """
                    [Desktop Entry]
                    Type=Application
                    X-Baton-Adapter=a;b;c;d;e;
                    [X-Baton-App a]
                    GoesOn=page
                    Needs=/nowhere;/e*c/passw?;
                    Package=pa
                    [X-Baton-App b]
                    GoesOn=page
                    Needs=/nowhere/*;
                    Package=pb
                    [X-Baton-App c]
                    GoesOn=song
                    [X-Baton-App gone]
                    GoesOn=song
                    """))
        let index = DesktopEntryIndex([
            adapter, try app("a"), try app("b"), try app("c", "X-Flatpak=c\n"), try app("d"),
            try app("own", "X-Baton-ActivityTypes=org.example.edit;\n"), try app("other"),
        ])
        var keeper = AdapterKeeper(store: AdapterStore())
        _ = keeper.admit(index, AdapterSwitches())
        #expect(
            keeper.apps == [
                AppStatus(application: "a", name: "a", state: .on, adapter: "z", goesOn: "page"),
                AppStatus(
                    application: "b", name: "b", state: .missing, adapter: "z", goesOn: "page", package: "pb"),
                AppStatus(application: "c", name: "c", state: .sandboxed, adapter: "z", goesOn: "song"),
                AppStatus(application: "own", name: "own", state: .on, types: ["org.example.edit"]),
            ])
        _ = keeper.admit(index, AdapterSwitches(areAllOff: true))
        #expect(keeper.apps.map(\.state) == [.off, .missing, .sandboxed, .on])
    }

    @Test("A browser takes part if it has both the extension and the host, but never if it is sandboxed")
    func browsers() throws {
        let root = FileManager.default.temporaryDirectory.appending(path: "browsers-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: root) }
        func browser(_ name: String, _ more: String = "") throws -> DesktopEntry {
            try #require(DesktopEntry(identifier: name, text: "[Desktop Entry]\nType=Application\nName=Web\n\(more)"))
        }
        var keeper = AdapterKeeper(store: AdapterStore(), root: root.path)
        let others = [try browser("chromium"), try browser("firefox"), try browser("epiphany")]
        func states(_ more: String = "") throws -> [String: AppStatus.State] {
            _ = keeper.admit(
                DesktopEntryIndex([try browser("firefox-esr", more)] + others), AdapterSwitches(areAllOff: true))
            return Dictionary(uniqueKeysWithValues: keeper.apps.map { ($0.application, $0.state) })
        }
        #expect(try states() == ["firefox-esr": .missing, "chromium": .missing])
        #expect(keeper.apps.map(\.package) == ["baton-browser", "baton-browser"])
        let files = try #require(BrowserFacts(of: "firefox-esr")).files
        for (file, state) in zip(files, [AppStatus.State.missing, .on]) {
            let place = root.appending(path: file)
            try FileManager.default.createDirectory(
                at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data().write(to: place)
            #expect(try states() == ["firefox-esr": state, "chromium": .missing])
        }
        #expect(try states("X-Flatpak=firefox\n") == ["firefox-esr": .sandboxed, "chromium": .missing])
        #expect(keeper.apps.map(\.goesOn) == [BrowserFacts.goesOn, BrowserFacts.goesOn])
    }

    @Test("Packages install the files that browsers need")
    func browsersFiles() throws {
        let files = URL(filePath: #filePath).appending(path: "../../../Packaging/files.browser").standardized
        let installed = try String(contentsOf: files, encoding: .utf8)
            .replacing("@SYSTEMDIR@", with: "/usr").replacing("@ETCDIR@", with: "/etc")
        for browser in ["firefox-esr", "chromium"] {
            for file in try #require(BrowserFacts(of: browser)).files {
                #expect(installed.contains(file.replacing("/manifest.json", with: "")), "\(file)")
            }
        }
    }

    @Test("An adapter can be switched off alone, or together with all others")
    func switches() throws {
        var keeper = AdapterKeeper(store: AdapterStore())
        let index = DesktopEntryIndex([try adapter("a"), try adapter("b")])
        #expect(keeper.admit(index, AdapterSwitches(off: ["a"])).entries.keys.sorted() == ["b"])
        #expect(states(keeper) == ["a": .off, "b": .on])
        #expect(keeper.admit(index, AdapterSwitches(areAllOff: true)).entries.isEmpty && keeper.active.isEmpty)
    }

    @Test("A package's adapter needs no permission, and an adapter that is not installed gets none")
    func wrongAnswers() throws {
        var keeper = AdapterKeeper(store: AdapterStore())
        _ = keeper.admit(DesktopEntryIndex([try adapter("a")]), AdapterSwitches())
        for isAllowed in [true, false] {
            #expect(throws: BatonError.self) { try keeper.answer(isAllowed, to: "a") }
            let error = #expect(throws: BatonError.self) { try keeper.answer(isAllowed, to: "b") }
            #expect(error?.code == .notFound)
        }
    }
}
