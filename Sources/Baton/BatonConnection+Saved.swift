// SPDX-License-Identifier: Apache-2.0

import BatonBus
public import UserActivity

/// Stores activities that are eligible for search at the daemon, under the app's id.
///
/// The desktop's search finds them there.
extension BatonConnection: UserActivityStore {
    /// Saves an activity, and replaces an earlier save of it.
    ///
    /// A save with the same persistent identifier is replaced too.
    ///
    /// - Throws: ``BatonError``. Each different reason is also reported once as a warning.
    public func save(_ activity: SavedUserActivity) async throws {
        try await storeWarnings.told("an activity is not kept for searches") {
            try await bus.save(activity, application: application)
        }
    }

    /// Deletes the activities with these persistent identifiers, and ignores unknown identifiers.
    ///
    /// - Throws: ``BatonError``. Each different reason is also reported once as a warning.
    public func delete(persistentIdentifiers: Set<String>) async throws {
        try await storeWarnings.told("kept activities are not deleted") {
            try await bus.deleteSaved(persistentIdentifiers: persistentIdentifiers, application: application)
        }
    }

    /// Deletes all saved activities of this app.
    ///
    /// - Throws: ``BatonError``. Each different reason is also reported once as a warning.
    public func deleteAll() async throws {
        try await storeWarnings.told("kept activities are not deleted") {
            try await bus.deleteAllSaved(application: application)
        }
    }

    /// Returns this app's saved activities, the last saved first, for a search inside the app.
    ///
    /// `Application.open(_:)` opens an activity that was found.
    ///
    /// - Parameter query: Words that must all match; nil for all activities.
    /// - Throws: ``BatonError``.
    public func savedActivities(matching query: String? = nil) async throws -> [SavedUserActivity] {
        try await bus.savedActivities(matching: query, application: application)
    }
}
