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
    nonisolated func addSaved(to router: inout BusRouter) {
        router.on(SavedInterface.save) { activity, application, _ in
            try await self.save(activity, application: application)
        }
        router.on(SavedInterface.delete) { identifiers, application, _ in
            try await self.deleteSaved(identifiers, application: application)
        }
        router.on(SavedInterface.deleteAll) { application, _ in await self.deleteAllSaved(of: application) }
        router.on(SavedInterface.find) { query, application, _ in
            await self.saved.activities(matching: query, of: application)
        }
    }

    private func save(_ activity: SavedUserActivity, application: String?) throws {
        try check()
        saved.save(activity, for: application)
        record(.saved(activity.state, application: application))
    }

    private func deleteSaved(_ persistentIdentifiers: Set<String>, application: String?) throws {
        try faults.admit()
        saved.delete(persistentIdentifiers, of: application)
    }

    private func deleteAllSaved(of application: String?) { saved.deleteAll(of: application) }
}
