// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A store that keeps saved activities in memory, until the program ends.
public actor MemoryActivityStore: UserActivityStore {
    private var kept: SavedActivities

    /// Creates an empty store.
    ///
    /// - Parameter capacity: The number of activities to keep, at least 1. A full store drops the
    ///   activity whose last save is the oldest.
    public init(capacity: Int = 256) { kept = SavedActivities(capacity: capacity) }

    /// Returns the activities that have not expired, in the order in which they were saved.
    public func activities(at date: Date = Date()) -> [SavedUserActivity] { kept.activities(at: date) }

    /// Returns the activities that match a search, the last saved first.
    public func activities(matching query: String) -> [SavedUserActivity] { kept.activities(matching: query) }

    /// Saves an activity. If it was saved before, replaces the earlier copy.
    ///
    /// Also replaces a saved activity with the same persistent identifier.
    public func save(_ activity: SavedUserActivity) { kept.save(activity) }

    /// Deletes the activities with these persistent identifiers.
    public func delete(persistentIdentifiers: Set<String>) { kept.delete(persistentIdentifiers: persistentIdentifiers) }

    /// Deletes all activities.
    public func deleteAll() { kept.deleteAll() }
}
