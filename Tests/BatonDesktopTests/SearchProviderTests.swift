// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonDesktop
import BatonTesting
import DBus
import DesktopEntries
import Foundation
import Logging
import Synchronization
import Testing

/// Tests the desktop's search over a bus.
@Suite(.timeLimit(.minutes(5))) struct SearchProviderTests {
    private struct Search: Sendable {
        let bus: PrivateBus
        let store: SavedStore
        let client: DBusConnection
        let daemon: DBusConnection

        func call(_ member: String, _ arguments: [DBusValue]) async throws -> [DBusValue] {
            try await client.call(
                destination: daemon.uniqueName, path: SearchProvider.path, interface: SearchProvider.interface,
                member: member, arguments: arguments)
        }
    }

    private func with(
        _ opener: SearchProvider.Opener? = nil, openWindow: @escaping @Sendable () async -> Void = {},
        _ body: @Sendable (Search) async throws -> Void
    ) async throws {
        try await withDirectory { directory in
            try await PrivateBus.with { bus in
                let daemon = try await DBusConnection.open(address: bus.address)
                let client = try await DBusConnection.open(address: bus.address)
                let store = SavedStore(
                    directory: directory.path, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
                let entry = DesktopEntry(
                    identifier: "org.example.Letters",
                    text: "[Desktop Entry]\nType=Application\nName=Letters\nIcon=mail\nExec=true\n")
                let provider = SearchProvider(
                    store: store, callers: try await Callers.start(on: daemon),
                    entry: { $0 == "org.example.Letters" ? entry : nil }, opener: opener, openWindow: openWindow)
                try daemon.export(provider.object, at: SearchProvider.path)
                try await body(Search(bus: bus, store: store, client: client, daemon: daemon))
                client.close()
                daemon.close()
            }
        }
    }

    private func saved(_ title: String, _ attributes: SearchableItemAttributes? = nil) -> SavedUserActivity {
        SavedUserActivity(
            identity: .init(), state: ActivityState(activityType: "org.example.letter", title: title),
            keywords: ["post"], contentAttributeSet: attributes)
    }

    @Test("Results are found, and shown with title, description and picture")
    func shownResults() async throws {
        try await with { search in
            var attributes = SearchableItemAttributes()
            attributes.title = "To Ada"
            attributes.contentDescription = "About the engine"
            attributes.thumbnailURL = URL(filePath: "/tmp/a b.png")
            try await search.store.save(saved("A letter to Ada Lovelace", attributes), of: "org.example.Letters")
            try await search.store.save(saved("To Grace"), of: "org.example.Letters")
            attributes.displayName = "Ada"
            attributes.thumbnailData = Data([1, 2])
            try await search.store.save(saved("Shown otherwise", attributes), of: "org.example.Unknown")

            let found = try await search.call("GetInitialResultSet", [.strings(["post"])])
            let ids = found.first?.stringsValue ?? []
            #expect(ids.count == 3)
            let fewer = try await search.call("GetSubsearchResultSet", [.strings(ids), .strings(["post", "grace"])])
            #expect(fewer.first?.stringsValue == [ids[1]])

            let metas = try await search.call("GetResultMetas", [.strings(ids + ["gone/1"])]).first?.arrayValue ?? []
            #expect(metas.count == 3)
            let values = metas.compactMap(\.propertiesValue)
            #expect(values.map { $0["name"]?.stringValue } == ["Ada", "To Grace", "To Ada"])
            let descriptions = values.map { $0["description"]?.stringValue }
            #expect(descriptions == ["About the engine", "Letters", "About the engine"])
            #expect(values.map { $0["id"]?.stringValue } == ids)
            let icons = values.map { $0["icon"]?.structureValue?.map(\.unwrapped) }
            #expect(icons[0] == [.string("bytes"), .bytes([1, 2])])
            #expect(icons[1] == [.string("themed"), .strings(["mail"])])
            #expect(icons[2] == [.string("file"), .string("file:///tmp/a%20b.png")])
        }
    }

    @Test("Activating a result opens the item in its app")
    func activatingOpensItem() async throws {
        let opened = Mutex<[SearchResult]>([])
        try await with({ result, timestamp in
            #expect(timestamp == 77)
            opened.withLock { $0.append(result) }
        }) { search in
            let letter = saved("To Ada")
            try await search.store.save(letter, of: "org.example.Letters")
            let id = try #require(
                try await search.call("GetInitialResultSet", [.strings(["ada"])]).first?.stringsValue?.first)
            _ = try await search.call("ActivateResult", [.string(id), .strings(["ada"]), .uint32(77)])
            let results = opened.withLock { $0 }
            #expect(results == [SearchResult(application: "org.example.Letters", activity: letter)])
            try await search.store.deleteAll(of: "org.example.Letters")
            await #expect(throws: DBusError.self) {
                try await search.call("ActivateResult", [.string(id), .strings([]), .uint32(0)])
            }
        }
    }

    @Test("A click on Baton's icon beside the results opens the window")
    func iconOpensWindow() async throws {
        let openings = Mutex(0)
        try await with(openWindow: { openings.withLock { $0 += 1 } }) { search in
            _ = try await search.call("LaunchSearch", [.strings(["ada"]), .uint32(77)])
            #expect(openings.withLock(\.self) == 1)
        }
    }

    @Test("The results, the length and the terms of a search are limited")
    func searchesAreLimited() async throws {
        try await with { search in
            for number in 0..<(SearchProvider.maximumResults + 10) {
                try await search.store.save(saved("Letter \(number)"), of: "org.example.Letters")
            }
            let many = try await search.call("GetInitialResultSet", [.strings(["letter"])])
            #expect(many.first?.stringsValue?.count == SearchProvider.maximumResults)
            let long = try await search.call("GetInitialResultSet", [.strings([String(repeating: "x", count: 10_000)])])
            #expect(long.first?.stringsValue == [])
            let words = Array(repeating: "letter", count: SearchProvider.maximumTerms) + ["nowhere"]
            let cut = try await search.call("GetInitialResultSet", [.strings(words)])
            #expect(cut.first?.stringsValue?.count == SearchProvider.maximumResults)
        }
    }

    @Test("Sandboxed apps cannot search the desktop")
    func sandboxedMayNotSearch() async throws {
        try await with { search in
            let asked = try await Sandbox.run(
                [
                    "gdbus", "call", "--session", "--dest", search.daemon.uniqueName, "--object-path",
                    SearchProvider.path, "--method", SearchProvider.interface + ".GetInitialResultSet", "['post']",
                ], information: .application("org.example.Letters"), bus: search.bus.address)
            #expect(asked.status != 0 && asked.text.contains("AccessDenied"), "\(asked.text)")
        }
    }
}
