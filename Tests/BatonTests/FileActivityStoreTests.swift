// SPDX-License-Identifier: Apache-2.0

import Baton
import Foundation
import Testing
import UserActivity

@MainActor
private final class Opener: ApplicationDelegate {
    var log: [String] = []

    func application(_ application: Application, willContinueUserActivityWithType type: String) -> Bool {
        log.append("will \(type)")
        return true
    }

    func application(
        _ application: Application, continue userActivity: UserActivity,
        restorationHandler: @escaping @MainActor ([any UserActivityRestoring]?) -> Void
    ) -> Bool {
        log.append("continue \(userActivity.userInfo?["id"] as? Int ?? 0)")
        return true
    }
}

@Suite(.timeLimit(.minutes(1))) struct FileActivityStoreTests {
    private func withFile(_ body: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "baton-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder.appending(path: "app/activities.json"))
    }

    private func saved(
        _ name: String, _ title: String, userInfo: [AnyHashable: Any] = [:], keywords: Set<String> = [],
        expires: Date? = nil
    ) throws -> SavedUserActivity {
        let activity = UserActivity(activityType: "org.example.recipe", host: nil)
        activity.isEligibleForSearch = true
        activity.persistentIdentifier = name
        activity.title = title
        activity.userInfo = userInfo
        activity.keywords = keywords
        activity.expirationDate = expires
        var attributes = SearchableItemAttributeSet()
        attributes.contentDescription = "With \(name)"
        attributes.relatedUniqueIdentifier = "item-\(name)"
        activity.contentAttributeSet = attributes
        return try #require(activity.savedActivity)
    }

    @Test func savedActivityIsThereInTheNextRunAsItWas() async throws {
        try await withFile { file in
            let everything: [AnyHashable: Any] = [
                "array": [1, "two"], "data": Data([0, 255]), "date": Date(timeIntervalSinceReferenceDate: 0.1),
                "dictionary": ["k": 1], 7: "seven", "null": NSNull(), "double": 2.0, "infinite": -Double.infinity,
                "true": true,
                "set": Set(["a", "b"]), "uuid": UUID(), "large": UInt64.max,
                "url": try #require(URL(string: "https://example.org/a?b#c")),
            ]
            let activity = try saved("1", "Soup", userInfo: everything, keywords: ["hot"])
            try await FileActivityStore(file: file).save(activity)
            #expect(try await FileActivityStore(file: file).activities() == [activity])
            let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
        }
    }

    @Test func deletedActivityIsGoneInTheNextRun() async throws {
        try await withFile { file in
            let store = try FileActivityStore(file: file, capacity: 3)
            for name in ["1", "2", "3", "4"] { try await store.save(try saved(name, "Soup \(name)")) }
            try await store.delete(persistentIdentifiers: ["3", "unknown"])
            let next = try FileActivityStore(file: file)
            #expect(await next.activities().map(\.state.title) == ["Soup 2", "Soup 4"])
            try await next.deleteAll()
            #expect(try await FileActivityStore(file: file).activities().isEmpty)
        }
    }

    @Test func deletionsOfUserActivityReachTheFile() async throws {
        await #expect(processExitsWith: .success) {
            let folder = FileManager.default.temporaryDirectory.appending(path: "baton-\(UUID().uuidString)")
            defer { try? FileManager.default.removeItem(at: folder) }
            let file = folder.appending(path: "activities.json")
            let store = try FileActivityStore(file: file)
            UserActivity.store = store
            let activity = UserActivity(activityType: "org.example.a", host: nil)
            activity.isEligibleForSearch = true
            activity.persistentIdentifier = "7"
            if let saved = activity.savedActivity { try await store.save(saved) }
            var kept = try await FileActivityStore(file: file).activities()
            precondition(kept.count == 1)
            try await UserActivity.deleteSavedUserActivities(withPersistentIdentifiers: ["7"])
            kept = try await FileActivityStore(file: file).activities()
            precondition(kept.isEmpty)
        }
    }

    @Test func searchFindsByTitleKeywordsAndAttributes() async throws {
        try await withFile { file in
            let store = try FileActivityStore(file: file)
            try await store.save(try saved("leek", "Crème de poireaux", keywords: ["soup", "hot"]))
            try await store.save(try saved("beet", "Borscht", keywords: ["soup"]))
            try await store.save(try saved("old", "Soup", expires: Date(timeIntervalSinceNow: -1)))
            #expect(await store.activities(matching: "SOUP").map(\.state.persistentIdentifier) == ["beet", "leek"])
            #expect(await store.activities(matching: "creme hot").count == 1)
            #expect(await store.activities(matching: "with beet").map(\.state.title) == ["Borscht"])
            #expect(await store.activities(matching: "soup cold").isEmpty)
            #expect(await store.activities(matching: "  ").isEmpty)
        }
    }

    @Test @MainActor func foundActivityOpensAtItsItem() async throws {
        let delegate = Opener()
        let application = Application(
            declaration: ApplicationDeclaration(activityTypes: ["org.example.recipe"]), delegate: delegate,
            coordinator: ResponderCoordinator()
        ) { _ in }
        let found = try saved("1", "Soup", userInfo: ["id": 7])
        #expect(await application.open(found, host: nil)?.title == "Soup")
        #expect(delegate.log == ["will org.example.recipe", "continue 7"])
    }

    @Test(arguments: ["", "{", "[{}]", "[1]"])
    func damagedFileIsRefusedAndLeftAsItWas(text: String) async throws {
        try await withFile { file in
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
            #expect(throws: (any Error).self) { try FileActivityStore(file: file) }
            #expect(try Data(contentsOf: file) == Data(text.utf8))
        }
    }

    @Test func activityThatNoneMayBeIsRefusedInTheFile() async throws {
        try await withFile { file in
            let store = try FileActivityStore(file: file)
            try await store.save(try saved("1", "Soup"))
            let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
            let other = text.replacingOccurrences(of: "org.example.recipe", with: "")
            try Data(other.utf8).write(to: file)
            #expect(throws: CocoaError.self) { try FileActivityStore(file: file) }
        }
    }
}
