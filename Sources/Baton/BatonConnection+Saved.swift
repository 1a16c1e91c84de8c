// SPDX-License-Identifier: Apache-2.0

import BatonBus
public import UserActivity

/// The daemon's store for activities that are eligible for search. The daemon stores them under the
/// app's id, where the desktop's search finds them.
extension BatonConnection: UserActivityStore {
    /// Saves an activity. If it was saved before, replaces the earlier copy.
    ///
    /// Also replaces a saved activity with the same persistent identifier.
    ///
    /// - Throws: ``BatonError``. The failure is also reported as a warning, unless it repeats the
    ///   last one.
    public func save(_ activity: SavedUserActivity) async throws {
        try await storeWarnings.told("an activity is not kept for searches") {
            try await bus.save(activity, application: application)
        }
    }

    /// Deletes the activities with these persistent identifiers, and ignores unknown identifiers.
    ///
    /// - Throws: ``BatonError``. The failure is also reported as a warning, unless it repeats the
    ///   last one.
    public func delete(persistentIdentifiers: Set<String>) async throws {
        try await storeWarnings.told("kept activities are not deleted") {
            try await bus.deleteSaved(persistentIdentifiers: persistentIdentifiers, application: application)
        }
    }

    /// Deletes all saved activities of this app.
    ///
    /// - Throws: ``BatonError``. The failure is also reported as a warning, unless it repeats the
    ///   last one.
    public func deleteAll() async throws {
        try await storeWarnings.told("kept activities are not deleted") {
            try await bus.deleteAllSaved(application: application)
        }
    }

    /// Returns this app's saved activities for a search inside the app, the latest first.
    ///
    /// `Application.open(_:)` opens an activity that was found.
    ///
    /// - Parameter query: The words that must all match, or nil for all activities.
    /// - Throws: ``BatonError``.
    public func savedActivities(matching query: String? = nil) async throws -> [SavedUserActivity] {
        try await bus.savedActivities(matching: query, application: application)
    }
}
