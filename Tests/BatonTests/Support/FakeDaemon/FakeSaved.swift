// SPDX-License-Identifier: Apache-2.0

import BatonBus
import UserActivity

/// The activities that a ``FakeDaemon`` stores for apps, by the apps' ids.
struct FakeSaved {
    private var byApplication: [String: SavedActivities] = [:]

    mutating func save(_ activity: SavedUserActivity, for application: String?) {
        byApplication[application ?? "", default: SavedActivities()].save(activity)
    }

    mutating func delete(_ persistentIdentifiers: Set<String>, of application: String?) {
        byApplication[application ?? ""]?.delete(persistentIdentifiers: persistentIdentifiers)
    }

    mutating func deleteAll(of application: String?) { byApplication[application ?? ""] = nil }

    func activities(matching query: String?, of application: String?) -> [SavedUserActivity] {
        let saved = byApplication[application ?? ""] ?? SavedActivities()
        return query.map { saved.activities(matching: $0) } ?? saved.activities().reversed()
    }
}

extension FakeDaemon {
    func save(_ activity: SavedUserActivity, application: String?, client: ClientID) async throws {
        try check()
        saved.save(activity, for: application)
        record(.saved(activity.state, application: application))
    }

    func deleteSaved(persistentIdentifiers: Set<String>, application: String?, client: ClientID) async throws {
        try faults.admit()
        saved.delete(persistentIdentifiers, of: application)
    }

    func deleteAllSaved(application: String?, client: ClientID) async throws { saved.deleteAll(of: application) }

    func savedActivities(
        matching query: String?, application: String?, client: ClientID
    ) async throws -> [SavedUserActivity] { saved.activities(matching: query, of: application) }
}
