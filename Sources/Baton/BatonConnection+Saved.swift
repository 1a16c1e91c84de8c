// SPDX-License-Identifier: Apache-2.0

import BatonBus
public import UserActivity

/// Activities that are eligible for search are kept at the daemon, under the app's id, where the
/// desktop's search finds them.
extension BatonConnection: UserActivityStore {
    /// Keeps an activity, in place of what was kept of the same one, or of one with the same
    /// persistent identifier.
    ///
    /// - Throws: ``BatonError``; that it is not kept is also warned about, once for each reason.
    public func save(_ activity: SavedUserActivity) async throws {
        try await storeWarnings.told("an activity is not kept for searches") {
            try await bus.save(activity, application: application)
        }
    }

    /// Deletes those with these persistent identifiers; unknown ones do no harm.
    ///
    /// - Throws: ``BatonError``; that they are not deleted is also warned about, once for each
    ///   reason.
    public func delete(persistentIdentifiers: Set<String>) async throws {
        try await storeWarnings.told("kept activities are not deleted") {
            try await bus.deleteSaved(persistentIdentifiers: persistentIdentifiers, application: application)
        }
    }

    /// Deletes all of this app's.
    ///
    /// - Throws: ``BatonError``; that they are not deleted is also warned about, once for each
    ///   reason.
    public func deleteAll() async throws {
        try await storeWarnings.told("kept activities are not deleted") {
            try await bus.deleteAllSaved(application: application)
        }
    }

    /// What is kept of this app's, the latest first: for a search of the app's own.
    /// `Application.open(_:)` goes to what was found.
    ///
    /// - Parameter query: Words, each of which must be found; nil for all there are.
    /// - Throws: ``BatonError``.
    public func savedActivities(matching query: String? = nil) async throws -> [SavedUserActivity] {
        try await bus.savedActivities(matching: query, application: application)
    }
}
