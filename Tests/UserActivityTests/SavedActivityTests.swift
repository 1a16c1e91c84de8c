// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import UserActivity

private struct Draft: Codable, Equatable {
    var text: String
    var cursor: Int
    var opened: Date
    var picture: Data
    var isUrgent: Bool
    var note: String?
}

private final class Titles: UserActivityDelegate, Sendable {
    func userActivityWillSave(_ userActivity: UserActivity) { userActivity.title = "saved" }
}

/// A delegate that reports when it has been asked.
private final class Asked: UserActivityDelegate, Sendable {
    let (asked, asking) = AsyncStream.makeStream(of: Void.self)
    func userActivityWillSave(_ userActivity: UserActivity) { asking.yield() }
}

/// A store that reports when something has been saved.
private actor TellingStore: UserActivityStore {
    private let kept = MemoryActivityStore()
    private let (saves, saved) = AsyncStream.makeStream(of: Void.self)

    func save(_ activity: SavedUserActivity) async {
        await kept.save(activity)
        saved.yield()
    }

    func delete(persistentIdentifiers: Set<String>) async {
        await kept.delete(persistentIdentifiers: persistentIdentifiers)
    }
    func deleteAll() async { await kept.deleteAll() }

    func activities() async -> [SavedUserActivity] { await kept.activities() }

    /// Waits until the store contains an expected activity.
    func keeps(_ isRight: (SavedUserActivity) -> Bool) async {
        for await _ in saves where await kept.activities().first.map(isRight) == true { return }
    }
}

/// A store whose saves wait for permission.
private actor SlowStore: UserActivityStore {
    let kept = TellingStore()
    private(set) var titles: [String?] = []
    private let (begun, begin) = AsyncStream.makeStream(of: Void.self)
    private let (released, release) = AsyncStream.makeStream(of: Void.self)

    func saving() async { for await _ in begun { return } }
    func goOn() { release.yield() }

    func save(_ activity: SavedUserActivity) async {
        titles.append(activity.state.title)
        begin.yield()
        for await _ in released { break }
        await kept.save(activity)
    }

    func delete(persistentIdentifiers: Set<String>) async {
        await kept.delete(persistentIdentifiers: persistentIdentifiers)
    }
    func deleteAll() async { await kept.deleteAll() }
}

@Suite(.timeLimit(.minutes(5))) struct SavedActivityTests {
    @Test("A saved activity contains only the required keys")
    func onlyTheRequiredKeysAreKept() {
        let activity = UserActivity(activityType: "org.example.a", host: nil)
        activity.userInfo = ["id": 7, "scroll": 0.5]
        #expect(activity.savedActivity == nil)
        activity.isEligibleForSearch = true
        #expect(activity.savedActivity?.state.userInfo.count == 2)
        activity.requiredUserInfoKeys = ["id"]
        activity.keywords = ["seven"]
        let attributes = CSSearchableItemAttributeSet()
        attributes.relatedUniqueIdentifier = "item-7"
        activity.contentAttributeSet = attributes
        #expect(activity.savedActivity?.state.userInfo == ["id": .int(7)])
        #expect(activity.savedActivity?.keywords == ["seven"])
        #expect(activity.savedActivity?.contentAttributeSet?.relatedUniqueIdentifier == "item-7")
        // A hand-over transfers all of userInfo.
        #expect(activity.currentState.userInfo.count == 2)
        activity.invalidate()
        #expect(activity.savedActivity == nil)
    }

    @Test("A store keeps one activity for each name, and drops the oldest and the expired ones")
    func storeKeepsAndForgets() async throws {
        let store = MemoryActivityStore(capacity: 2)
        func saved(_ name: String, _ title: String, expires: Date? = nil) throws -> SavedUserActivity {
            let activity = UserActivity(activityType: "org.example.a", host: nil)
            activity.isEligibleForSearch = true
            activity.persistentIdentifier = name
            activity.title = title
            activity.expirationDate = expires
            return try #require(activity.savedActivity)
        }
        await store.save(try saved("1", "old"))
        await store.save(try saved("1", "new"))
        #expect(await store.activities().map(\.state.title) == ["new"])
        await store.save(try saved("2", "two", expires: Date(timeIntervalSinceNow: -1)))
        #expect(await store.activities().map(\.state.title) == ["new"])
        await store.save(try saved("3", "three"))
        #expect(await store.activities().map(\.state.title) == ["three"])
        await store.delete(persistentIdentifiers: ["3", "unknown"])
        #expect(await store.activities(at: Date()).isEmpty)
    }

    @Test("Deletions reach the store of the app")
    func deletionsReachTheStore() async {
        await #expect(processExitsWith: .success) {
            let store = MemoryActivityStore()
            UserActivity.store = store
            let activity = UserActivity(activityType: "org.example.a", host: nil)
            activity.isEligibleForSearch = true
            activity.persistentIdentifier = "7"
            if let saved = activity.savedActivity { await store.save(saved) }
            var kept = await store.activities()
            precondition(kept.count == 1)
            await withCheckedContinuation { waiting in
                UserActivity.deleteSavedUserActivities(withPersistentIdentifiers: ["7"]) { waiting.resume() }
            }
            kept = await store.activities()
            precondition(kept.isEmpty)
            if let saved = activity.savedActivity { await store.save(saved) }
            await UserActivity.deleteAllSavedUserActivities()
            kept = await store.activities()
            precondition(kept.isEmpty)
        }
    }

    @Test("An activity that is eligible only for search is also asked for changes")
    func forSearchOnly() async {
        await #expect(processExitsWith: .success) {
            let store = TellingStore()
            UserActivity.store = store
            let activity = UserActivity(activityType: "org.example.a", host: nil)
            let saver = Titles()
            activity.delegate = saver
            (activity.isEligibleForSearch, activity.isEligibleForHandoff) = (true, false)
            activity.becomeCurrent()
            await store.keeps { $0.state.title == "saved" }
            withExtendedLifetime(saver) {}
        }
    }

    @Test("Each change of an activity is saved, even if the activity is also offered to other devices")
    func storeFollowsTheActivity() async {
        await #expect(processExitsWith: .success) {
            let store = TellingStore()
            UserActivity.store = store
            let activity = UserActivity(activityType: "org.example.a", host: nil)
            activity.becomeCurrent()
            activity.isEligibleForSearch = true
            await store.keeps { $0.state.title == nil }
            activity.title = "Soup"
            await store.keeps { $0.state.title == "Soup" }
            activity.keywords = ["hot"]
            await store.keeps { $0.keywords == ["hot"] }
            activity.contentAttributeSet = CSSearchableItemAttributeSet()
            await store.keeps { $0.contentAttributeSet != nil }
            activity.contentAttributeSet?.title = "Hot soup"
            await store.keeps { $0.contentAttributeSet?.title == "Hot soup" }
            let saver = Titles()
            activity.delegate = saver
            activity.resignCurrent()
            await store.keeps { $0.state.title == "saved" }
            withExtendedLifetime(saver) {}
        }
    }

    @Test("A save that resigning requests does not happen after a deletion", arguments: [false, true])
    func resigningAndDeletion(isDeletedFirst: Bool) async {
        await #expect(processExitsWith: .success) { [isDeletedFirst] in
            let store = TellingStore()
            UserActivity.store = store
            let activity = UserActivity(activityType: "org.example.a", host: nil)
            activity.isEligibleForSearch = true
            activity.persistentIdentifier = "7"
            let saver = Asked()
            activity.delegate = saver
            activity.becomeCurrent()
            await store.keeps { _ in true }
            if !isDeletedFirst { activity.resignCurrent() }
            await UserActivity.deleteSavedUserActivities(withPersistentIdentifiers: ["7"])
            if isDeletedFirst { activity.resignCurrent() }
            // The save that resigning requested is done when the app's next call is over.
            for await _ in saver.asked { break }
            await activity.wasContinued()
            await UserActivity.deleteSavedUserActivities(withPersistentIdentifiers: ["none"])
            let kept = await store.activities()
            precondition(kept.isEmpty)
        }
    }

    @Test("Waiting saves become one, except across a deletion")
    func savesThatWait() async {
        await #expect(processExitsWith: .success) {
            let store = SlowStore()
            UserActivity.store = store
            let activity = UserActivity(activityType: "org.example.a", host: nil)
            activity.isEligibleForSearch = true
            activity.becomeCurrent()
            await store.saving()
            // One save is running. Two more wait as one, and another one follows the deletion.
            (activity.title, activity.keywords) = ("1", ["k"])
            activity.title = "2"
            UserActivity.deleteAllSavedUserActivities {}
            activity.title = "3"
            for _ in 0..<3 { await store.goOn() }
            await store.kept.keeps { $0.state.title == "3" }
            let titles = await store.titles
            precondition(titles == [nil, "2", "3"])
        }
    }

    @Test("Deletions wait for the saves before them")
    func deletionsAfterSaves() async {
        await #expect(processExitsWith: .success) {
            let store = SlowStore()
            UserActivity.store = store
            let activity = UserActivity(activityType: "org.example.a", host: nil)
            activity.isEligibleForSearch = true
            activity.persistentIdentifier = "7"
            _ = activity.savedState()
            await store.saving()
            // The save is running, and takes longer than the deletion.
            let (done, finish) = AsyncStream.makeStream(of: Void.self)
            UserActivity.deleteSavedUserActivities(withPersistentIdentifiers: ["7"]) { finish.yield() }
            await store.goOn()
            for await _ in done { break }
            let kept = await store.kept.activities()
            precondition(kept.isEmpty)
        }
    }

    @Test("A typed payload can be read back when userInfo also has other entries")
    func typedPayloadArrives() throws {
        let activity = UserActivity(activityType: "org.example.a", host: nil)
        activity.userInfo = ["page": URL(string: "https://example.org") as Any, "labels": Set(["a"]), "cursor": 1]
        let draft = Draft(
            text: "Dear Ada", cursor: 8, opened: Date(timeIntervalSinceReferenceDate: 700_000_000.25),
            picture: Data([1, 2]), isUrgent: true)
        try activity.setTypedPayload(draft)
        #expect(try activity.typedPayload(Draft.self) == draft)
        #expect(activity.currentState.userInfo["cursor"] == .int(8))
        #expect(activity.currentState.userInfo["isUrgent"] == .bool(true))
        #expect(activity.currentState.userInfo["opened"] == .date(draft.opened))
        activity.addUserInfoEntries(from: ["cursor": "not a number"])
        #expect(throws: UserActivity.TypedPayloadError.invalidContent) { try activity.typedPayload(Draft.self) }
    }

    @Test("A payload keeps its unsigned integers", arguments: [0, UInt64(Int64.max), UInt64(Int64.max) + 1, .max])
    func unsignedIntegers(value: UInt64) throws {
        struct Place: Codable, Equatable { var inode: UInt64 }
        let activity = UserActivity(activityType: "org.example.a", host: nil)
        try activity.setTypedPayload(Place(inode: value))
        #expect(activity.currentState.userInfo["inode"] == (Int64(exactly: value).map { .int($0) } ?? .uint(value)))
        #expect(try activity.typedPayload(Place.self) == Place(inode: value))
    }

    @Test("A payload that is not a dictionary is rejected")
    func payloadIsNoDictionary() {
        let activity = UserActivity(activityType: "org.example.a", host: nil)
        #expect(throws: UserActivity.TypedPayloadError.encodingError) { try activity.setTypedPayload([1, 2]) }
        #expect(throws: UserActivity.TypedPayloadError.encodingError) { try activity.setTypedPayload(7) }
        #expect(activity.userInfo?.isEmpty == true)
    }
}
