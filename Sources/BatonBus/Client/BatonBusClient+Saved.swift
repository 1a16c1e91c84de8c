// SPDX-License-Identifier: Apache-2.0

public import ActivityModel
internal import DBus

/// Activities of this app that are kept for searches.
///
/// `application` is the app's id, for a program that the daemon does not know by itself; nil leaves
/// it to the daemon.
extension BatonBusClient {
    /// Keeps an activity, in place of what was kept of the same one, or of one with the same
    /// persistent identifier.
    public func save(_ activity: SavedUserActivity, application: String? = nil) async throws {
        var properties = try SavedCoding.encode(activity)
        properties["type"] = nil
        try await call(
            BatonBusName.saved, "Save",
            [.string(activity.state.activityType), .properties(properties), options(application)])
    }

    /// Deletes those with these persistent identifiers; unknown ones do no harm.
    public func deleteSaved(persistentIdentifiers: Set<String>, application: String? = nil) async throws {
        try await call(
            BatonBusName.saved, "Delete", [.strings(persistentIdentifiers.sorted()), options(application)])
    }

    /// Deletes all of this app's.
    public func deleteAllSaved(application: String? = nil) async throws {
        try await call(BatonBusName.saved, "DeleteAll", [options(application)])
    }

    /// What is kept of this app's, the latest saved first.
    ///
    /// - Parameter query: Words, each of which must be found; nil for all there are.
    public func savedActivities(
        matching query: String? = nil, application: String? = nil
    ) async throws -> [SavedUserActivity] {
        let reply = try await call(BatonBusName.saved, "Find", [.string(query ?? ""), options(application)])
        return try (reply.first?.arrayValue).orInvalid("reply", "activities").map {
            try SavedCoding.decode(try Properties($0).values)
        }
    }

    private func options(_ application: String?) -> DBusValue {
        .properties(application.map { ["application": .string($0)] } ?? [:])
    }
}
