// SPDX-License-Identifier: GPL-3.0-or-later

import ActivityModel
import BatonBus
import BatonDesktop
import Diagnosis

/// Answers calls about saved activities. Each app finds only its own activities.
struct SavedRoutes {
    let store: SavedStore
    let callers: Callers
    let policy: CallerPermissions

    func add(to router: inout BusRouter) {
        router.on(SavedInterface.save) { activity, claimed, client in
            try await save(activity, application: claimed, client: client)
        }
        router.on(SavedInterface.delete) { persistentIdentifiers, claimed, client in
            try await store.delete(
                persistentIdentifiers: persistentIdentifiers, of: try await application(claimed, client))
        }
        router.on(SavedInterface.deleteAll) { claimed, client in
            try await store.deleteAll(of: try await application(claimed, client))
        }
        router.on(SavedInterface.find) { query, claimed, client in
            // Limit the length, because each word is searched in all texts.
            guard (query?.utf8.count ?? 0) <= SearchProvider.longestQuery else {
                throw BatonError(
                    argument: "query", .argumentText,
                    ["least": .count(0), "greatest": .count(SearchProvider.longestQuery)])
            }
            return await store.activities(of: try await application(claimed, client), matching: query)
        }
    }

    private func save(_ activity: SavedUserActivity, application: String?, client: ClientID) async throws {
        let caller = try await callers.caller(client)
        try policy.check(
            type: activity.state.activityType, team: try policy.team(claimed: nil, by: caller), by: caller)
        let application = try await self.application(application, client)
        try await store.save(activity.kept(for: caller), of: application)
    }

    private func application(_ claimed: String?, _ client: ClientID) async throws -> String {
        let caller = try await callers.caller(client)
        guard let application = try policy.applicationID(claimed: claimed, by: caller) else {
            throw BatonError(.invalidArgument, .appUnidentified)
        }
        return application
    }
}
