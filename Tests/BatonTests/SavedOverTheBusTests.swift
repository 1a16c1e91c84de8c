// SPDX-License-Identifier: Apache-2.0

import Baton
import BatonBus
import BatonTesting
import Foundation
import Synchronization
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
        restorationHandler: @escaping ([any UserActivityRestoring]?) -> Void
    ) -> Bool {
        log.append("continue \(userActivity.userInfo?["id"] as? Int ?? 0)")
        return true
    }
}

/// Tests how the library stores activities in the daemon for searches.
@Suite(.timeLimit(.minutes(5))) struct SavedOverTheBusTests {
    private func searchable(_ connection: BatonConnection, _ name: String) -> UserActivity {
        let activity = UserActivity(activityType: "org.example.recipe", host: connection)
        activity.isEligibleForHandoff = false
        activity.isEligibleForSearch = true
        activity.persistentIdentifier = name
        activity.title = "Soup \(name)"
        activity.keywords = ["hot"]
        activity.userInfo = ["id": 7, "scroll": 0.5]
        activity.requiredUserInfoKeys = ["id"]
        return activity
    }

    @Test("An activity that is eligible only for search is stored at the daemon, but not offered")
    func keptAndNotOffered() async throws {
        try await FakeDaemon.with { daemon, bus in
            let connection = try await BatonConnection.open(address: bus.address, application: "org.example.Recipes")
            let activity = searchable(connection, "1")
            var calls = daemon.calls.makeAsyncIterator()
            activity.becomeCurrent()
            var expected = activity.currentState
            expected.userInfo = ["id": .int(7)]
            let call = await calls.next()
            #expect(call == .saved(expected, application: "org.example.Recipes"))
            let found = try await connection.savedActivities(matching: "hot soup")
            #expect(found.map(\.state) == [expected] && found.first?.identity == activity.identity)
            #expect(await daemon.activities.isEmpty)
            await connection.close()
        }
    }

    @Test("Deletions of some or all saved activities reach the daemon")
    func deletionsReachTheDaemon() async throws {
        try await FakeDaemon.withConnection { _, connection in
            for name in ["1", "2", "3"] {
                try await connection.save(try #require(searchable(connection, name).savedActivity))
            }
            try await connection.delete(persistentIdentifiers: ["2", "unknown"])
            let left = try await connection.savedActivities().map(\.state.persistentIdentifier)
            #expect(left == ["3", "1"])
            try await connection.deleteAll()
            #expect(try await connection.savedActivities().isEmpty)
        }
    }

    /// The test runs in its own process, because a process has only one default host.
    @Test("Deletions by UserActivity itself go to the default host")
    func deletionsGoToTheDefaultHost() async throws {
        await #expect(processExitsWith: .success) {
            try await FakeDaemon.withConnection { _, connection in
                UserActivity.defaultHost = connection
                let activity = UserActivity(activityType: "org.example.recipe")
                activity.isEligibleForSearch = true
                activity.persistentIdentifier = "7"
                if let saved = activity.savedActivity { try await UserActivity.store?.save(saved) }
                var kept = try await connection.savedActivities()
                precondition(kept.count == 1)
                await UserActivity.deleteSavedUserActivities(withPersistentIdentifiers: ["7"])
                kept = try await connection.savedActivities()
                precondition(kept.isEmpty)
                if let saved = activity.savedActivity { try await UserActivity.store?.save(saved) }
                await withCheckedContinuation { done in
                    UserActivity.deleteAllSavedUserActivities { done.resume() }
                }
                kept = try await connection.savedActivities()
                precondition(kept.isEmpty)
            }
        }
    }

    @Test("An activity that is not stored causes one warning")
    func notKeptIsWarnedAboutOnce() async throws {
        try await FakeDaemon.with { daemon, bus in
            let warnings = Mutex<[String]>([])
            let connection = try await BatonConnection.open(address: bus.address) { text in
                warnings.withLock { $0.append(text) }
            }
            await daemon.fail(BatonError(.invalidArgument, appMessage: "application: say its id"))
            let saved = try #require(searchable(connection, "1").savedActivity)
            for _ in 0..<2 { await #expect(throws: BatonError.self) { try await connection.save(saved) } }
            let told = warnings.withLock { $0 }
            #expect(told == ["an activity is not kept for searches: application: say its id"])
            await connection.close()
        }
    }

    @Test("An activity that a search found opens at its item")
    @MainActor func foundActivityOpensAtItsItem() async throws {
        let delegate = Opener()
        let application = Application(
            declaration: ApplicationDeclaration(activityTypes: ["org.example.recipe"]), delegate: delegate,
            coordinator: ResponderCoordinator()
        ) { _ in }
        let state = ActivityState(activityType: "org.example.recipe", title: "Soup", userInfo: ["id": .int(7)])
        let found = SavedUserActivity(identity: .init(), state: state, keywords: [], contentAttributeSet: nil)
        #expect(await application.open(found, host: nil)?.title == "Soup")
        #expect(delegate.log == ["will org.example.recipe", "continue 7"])
    }
}
