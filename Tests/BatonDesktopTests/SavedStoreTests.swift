// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonBus
import BatonDesktop
import BatonTesting
import Diagnosis
import DirectoryWatching
import Foundation
import Logging
import Testing

@Suite(.timeLimit(.minutes(5))) struct SavedStoreTests {
    private let temporary: TemporaryDirectory
    private var directory: String { temporary.url.path }
    private let letters = "org.example.Letters"

    init() throws { temporary = try TemporaryDirectory() }

    private func store(now: Date = Date()) -> SavedStore {
        SavedStore(directory: directory, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }) { now }
    }

    private func saved(
        _ name: String?, _ title: String, userInfo: UserInfo = [:], keywords: Set<String> = [], expires: Date? = nil,
        related: String? = nil
    ) -> SavedUserActivity {
        var state = ActivityState(activityType: "org.example.recipe", title: title, userInfo: userInfo)
        state.persistentIdentifier = name
        state.expirationDate = expires
        var attributes = SearchableItemAttributes()
        attributes.contentDescription = "With \(name ?? "nothing")"
        attributes.relatedUniqueIdentifier = related
        return SavedUserActivity(
            identity: .init(), state: state, keywords: keywords, contentAttributeSet: attributes)
    }

    @Test("A saved activity is unchanged after a restart")
    func nextRun() async throws {
        let everything: UserInfo = [
            "array": .array([.int(1), .string("two\n")]), "data": .data(Data([0, 255])),
            "date": .date(Date(timeIntervalSinceReferenceDate: 0.1)), .int(7): .string("seven"), "null": .null,
            "infinite": .double(-.infinity), "true": .bool(true), "set": .set([.string("a")]),
            "uuid": .uuid(UUID()),
            "large": .uint(.max), "url": .url(try #require(URL(string: "https://example.org/a?b#c"))),
        ]
        let activity = saved("1", "Soup", userInfo: everything, keywords: ["hot"])
        let first = store()
        try await first.save(activity, of: letters)
        await first.flush()
        #expect(await store().activities(of: letters, matching: nil) == [activity])
        let mode = try FileManager.default.attributesOfItem(atPath: directory + "/saved")[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test("If activities cannot be written, that is logged, and they are kept and written with the next possible write")
    func unwritable() async throws {
        let journal = Journal()
        let store = SavedStore(directory: directory, logger: journal.logger)
        // The file cannot be written, because a directory has its name.
        try FileManager.default.createDirectory(atPath: directory + "/saved", withIntermediateDirectories: false)
        try await store.save(saved("1", "Soup"), of: letters)
        await store.flush()
        #expect(journal.all.count { $0.contains("activities were not saved: ") } == 1, "\(journal.all)")
        #expect(await store.results(for: "soup").count == 1)
        try FileManager.default.removeItem(atPath: directory + "/saved")
        try await store.save(saved("2", "Stew"), of: letters)
        await store.flush()
        #expect(await self.store().activities(of: letters, matching: nil).count == 2)
    }

    @Test("Unwritten activities are written when possible and at the end, and the failure is logged once")
    func writtenOnceThereIsRoom() async throws {
        let journal = Journal()
        let store = SavedStore(directory: directory, logger: journal.logger, pause: .milliseconds(20))
        let obstacle = directory + "/saved"
        try FileManager.default.createDirectory(atPath: obstacle, withIntermediateDirectories: false)
        try await store.save(saved("1", "Soup"), of: letters)
        for _ in 0..<3 { await store.flush() }
        let watch = try #require(DirectoryWatch([directory]))
        try FileManager.default.removeItem(atPath: obstacle)
        for await _ in watch.changes where FileManager.default.fileExists(atPath: obstacle) { break }
        #expect(await self.store().activities(of: letters, matching: nil).count == 1)
        #expect(journal.all.count { $0.contains("activities were not saved: ") } == 1, "\(journal.all)")

        // A deletion that cannot be written is handled in the same way.
        try FileManager.default.removeItem(atPath: obstacle)
        try FileManager.default.createDirectory(atPath: obstacle, withIntermediateDirectories: false)
        await #expect(throws: (any Error).self) { try await store.deleteAll(of: letters) }
        try FileManager.default.removeItem(atPath: obstacle)
        await store.flush()
        #expect(FileManager.default.fileExists(atPath: obstacle))
        #expect(await self.store().activities(of: letters, matching: nil).isEmpty)
    }

    @Test("Once the daemon ends, a save is written before its call returns, and a failure is logged again and reported")
    func savedAtTheEnd() async throws {
        let journal = Journal()
        let store = SavedStore(directory: directory, logger: journal.logger, pause: .seconds(3_600))
        // The write fails, because a directory has the new file's name.
        let obstacle = directory + "/saved.new"
        try FileManager.default.createDirectory(atPath: obstacle, withIntermediateDirectories: false)
        try await store.save(saved("1", "Soup"), of: letters)
        await store.flush()
        await store.end()
        #expect(journal.all.count { $0.contains("activities were not saved: ") } == 2, "\(journal.all)")
        await #expect(throws: (any Error).self) { try await store.save(self.saved("2", "Stew"), of: self.letters) }
        try FileManager.default.removeItem(atPath: obstacle)
        try await store.save(saved("3", "Broth"), of: letters)
        #expect(await self.store().activities(of: letters, matching: nil).count == 3)
    }

    @Test("A deletion is reported as failed, however often it is requested, until it is written to the file")
    func deletionIsWrittenBeforeItIsConfirmed() async throws {
        let store = store()
        try await store.save(saved("1", "Soup"), of: letters)
        await store.flush()
        // The write fails, because a directory has the new file's name.
        let obstacle = directory + "/saved.new"
        try FileManager.default.createDirectory(atPath: obstacle, withIntermediateDirectories: false)
        for _ in 0..<2 {
            await #expect(throws: (any Error).self) {
                try await store.delete(persistentIdentifiers: ["1"], of: self.letters)
            }
            await #expect(throws: (any Error).self) { try await store.deleteAll(of: self.letters) }
        }
        #expect(await self.store().activities(of: letters, matching: nil).count == 1)
        try FileManager.default.removeItem(atPath: obstacle)
        try await store.delete(persistentIdentifiers: ["1"], of: letters)
        #expect(await self.store().activities(of: letters, matching: nil).isEmpty)
    }

    @Test("A deleted activity is removed from the file at once")
    func deletedFromFile() async throws {
        let first = store()
        for name in ["1", "2", "3"] { try await first.save(saved(name, "Soup \(name)"), of: letters) }
        try await first.save(saved("2", "Borscht"), of: "org.example.Other")
        try await first.delete(persistentIdentifiers: ["2", "unknown"], of: letters)
        let text = try String(contentsOfFile: directory + "/saved", encoding: .utf8)
        #expect(!text.contains("Soup 2") && text.contains("Soup 3") && text.contains("Borscht"))
        try await first.deleteAll(of: letters)
        #expect(await store().activities(of: letters, matching: nil).isEmpty)
        #expect(await store().results(for: "borscht").count == 1)
    }

    @Test("Each app has its own saved activities")
    func eachAppHasItsOwn() async throws {
        let store = store()
        let activity = saved("1", "Soup")
        try await store.save(activity, of: letters)
        try await store.save(activity, of: "org.example.Other")
        try await store.deleteAll(of: "org.example.Other")
        #expect(await store.activities(of: letters, matching: nil) == [activity])
        #expect(await store.activities(of: "org.example", matching: nil).isEmpty)
    }

    @Test("A search finds by title, keywords and attributes")
    func searchedAttributes() async throws {
        let store = store()
        try await store.save(saved("leek", "Crème de poireaux", keywords: ["soup", "hot"]), of: letters)
        try await store.save(saved("beet", "Borscht", keywords: ["soup"]), of: letters)
        try await store.save(saved("old", "Soup", expires: Date(timeIntervalSinceNow: -1)), of: letters)
        let found = await store.results(for: "SOUP").map(\.activity.state.persistentIdentifier)
        #expect(found == ["beet", "leek"])
        #expect(await store.results(for: "creme hot").count == 1)
        #expect(await store.activities(of: letters, matching: "with beet").map(\.state.title) == ["Borscht"])
        #expect(await store.results(for: "soup cold").isEmpty)
        #expect(await store.results(for: "  ").isEmpty)
    }

    @Test("An item that is also in the app's own index is found once")
    func itemOfAppsIndex() async throws {
        let store = store()
        try await store.save(saved("view", "Soup, viewed", related: "item-7"), of: letters)
        try await store.save(saved("edit", "Soup, edited", related: "item-7"), of: letters)
        try await store.save(saved("other", "Soup, another", related: "item-8"), of: letters)
        try await store.save(saved("else", "Soup elsewhere", related: "item-7"), of: "org.example.Other")
        let titles = await store.results(for: "soup").map(\.activity.state.title)
        #expect(titles == ["Soup elsewhere", "Soup, another", "Soup, edited"])
    }

    @Test("The number of activities is limited, and the activity that was unused for longest is dropped")
    func limitedCounts() async throws {
        let store = store()
        let first = saved("first", "Soup first")
        try await store.save(first, of: letters)
        for number in 1..<SavedLibrary.capacity { try await store.save(saved("\(number)", "Soup"), of: letters) }
        let found = try #require(await store.results(for: "first").first)
        await store.opened(found.id)
        try await store.save(saved("last", "Soup"), of: letters)
        let kept = await store.activities(of: letters, matching: nil).map(\.state.persistentIdentifier)
        #expect(kept.count == SavedLibrary.capacity && kept.contains("first") && !kept.contains("1"))
        for number in 0..<SavedLibrary.maximumApplications {
            try await store.save(saved("1", "Stew"), of: "org.example.App\(number)")
        }
        #expect(await store.activities(of: letters, matching: nil).isEmpty)
    }

    @Test("The sizes of an activity and of the whole store are limited")
    func sizesAreLimited() async throws {
        let store = store()
        let large = saved("1", String(repeating: "x", count: SavedLibrary.largestActivity))
        let refusal = await #expect(throws: BatonError.self) { try await store.save(large, of: letters) }
        #expect(refusal?.code == .userInfoTooLarge && refusal?.reason?.failure == .savedTooLarge)
        let title = String(repeating: "x", count: 120_000)
        for number in 0..<200 { try await store.save(saved("\(number)", title), of: letters) }
        let kept = await store.activities(of: letters, matching: nil).map(\.state.persistentIdentifier)
        #expect(kept.count == SavedLibrary.largestLibrary / 120_500 && kept.first == "199")
    }

    @Test("An impossible activity is refused with the reason")
    func whatNoActivityCanBeIsRefused() async throws {
        var wrong = saved("1", "Soup")
        wrong.state.referrerURL = URL(string: "ftp://example.org")
        let refusal = await #expect(throws: BatonError.self) {
            try await store().save(wrong, of: letters)
        }
        #expect(refusal == BatonError(argument: "referrerURL", .argumentNoPage))
    }

    @Test("An expired activity is removed")
    func whatExpiresVanishes() async throws {
        let first = store()
        try await first.save(saved("1", "Soup", expires: Date(timeIntervalSinceNow: 3_600)), of: letters)
        await first.flush()
        let id = try #require(await first.results(for: "soup").first?.id)
        let later = store(now: Date(timeIntervalSinceNow: 7_200))
        #expect(await later.results(for: "soup").isEmpty)
        #expect(await later.result(id) == nil)
    }

    @Test("Activities from an older version lose their thumbnail file, and properties that are not allowed")
    func olderVersionsFile() async throws {
        let first = store()
        var soup = saved("1", "Soup")
        soup.contentAttributeSet = SearchableItemAttributes()
        soup.contentAttributeSet?.thumbnailURL = URL(filePath: "/etc/passwd")
        try await first.save(soup, of: letters)
        try await first.save(saved("2", "Stew"), of: letters)
        await first.flush()
        let file = URL(filePath: directory + "/saved")
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(
            await store().activities(of: letters, matching: "soup").first?.contentAttributeSet?
                .thumbnailURL != nil)
        var lines = text.replacingOccurrences(of: "activities 2\n", with: "activities 1\n").split(separator: "\n")
        let stew = try #require(lines.firstIndex { $0.contains("Stew") })
        let type = soup.state.activityType
        lines[stew].replace("\"\(type)\"", with: "\"\(type)\\u001b\"")
        try Data(lines.joined(separator: "\n").utf8).write(to: file)
        let later = await store().activities(of: letters, matching: nil)
        #expect(later.map(\.state.title) == ["Soup"])
        #expect(later.first?.contentAttributeSet?.thumbnailURL == nil)
    }

    @Test("A line that cannot be read does not affect the others")
    func damagedLine() async throws {
        let first = store()
        try await first.save(saved("1", "Soup"), of: letters)
        await first.flush()
        let file = URL(filePath: directory + "/saved")
        let damaged = try Data(contentsOf: file) + Data("\nnonsense".utf8)
        try damaged.write(to: file)
        for _ in 1...2 { #expect(await store().results(for: "soup").count == 1) }
        #expect(try Data(contentsOf: URL(filePath: directory + "/saved.damaged")) == damaged)
    }

    @Test(
        "A damaged file is renamed, and the store begins empty",
        arguments: [
            "", "{", "baton saved activities 3", "baton saved activities 1\n{}", "baton saved activities 1\n",
        ])
    func damagedFile(text: String) async throws {
        try Data(text.utf8).write(to: URL(filePath: directory + "/saved"))
        let first = store()
        #expect(await first.results(for: "soup").isEmpty)
        #expect(try Data(contentsOf: URL(filePath: directory + "/saved.damaged")) == Data(text.utf8))
        try await first.save(saved("1", "Soup"), of: letters)
        await first.flush()
        #expect(await store().results(for: "soup").count == 1)
    }
}
