// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A store that lasts as long as the program.
public actor MemoryActivityStore: UserActivityStore {
    private var kept: SavedActivities

    /// An empty store.
    ///
    /// - Parameter capacity: How many are kept, at least 1; the one that was not saved for longest
    ///   goes first.
    public init(capacity: Int = 256) { kept = SavedActivities(capacity: capacity) }

    /// Those that have not expired, the latest saved last.
    public func activities(at date: Date = Date()) -> [SavedUserActivity] { kept.activities(at: date) }

    /// Those that a search finds, the latest saved first.
    public func activities(matching query: String) -> [SavedUserActivity] { kept.activities(matching: query) }

    /// Keeps an activity, in place of what was kept of the same one, or of one with the same
    /// persistent identifier.
    public func save(_ activity: SavedUserActivity) { kept.save(activity) }

    /// Deletes those with these persistent identifiers.
    public func delete(persistentIdentifiers: Set<String>) { kept.delete(persistentIdentifiers: persistentIdentifiers) }

    /// Deletes all.
    public func deleteAll() { kept.deleteAll() }
}
