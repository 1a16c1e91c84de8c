// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A store that lasts as long as the program.
public actor MemoryActivityStore: UserActivityStore {
    /// How many are kept; the one that was not saved for longest goes first.
    public let capacity: Int
    private var kept: [SavedUserActivity] = []

    /// An empty store.
    ///
    /// - Parameter capacity: How many are kept, at least 1.
    public init(capacity: Int = 256) { self.capacity = max(1, capacity) }

    /// Those that have not expired, the latest saved last.
    public func activities(at date: Date = Date()) -> [SavedUserActivity] { kept.filter { !$0.hasExpired(at: date) } }

    /// Keeps an activity, in place of what was kept of the same one, or of one with the same persistent identifier.
    public func save(_ activity: SavedUserActivity) {
        kept.removeAll { $0.identity == activity.identity }
        if let name = activity.state.persistentIdentifier {
            kept.removeAll { $0.state.persistentIdentifier == name }
        }
        kept.append(activity)
        if kept.count > capacity { kept.removeFirst(kept.count - capacity) }
    }

    /// Deletes those with these persistent identifiers.
    public func delete(persistentIdentifiers: Set<String>) {
        kept.removeAll { $0.state.persistentIdentifier.map(persistentIdentifiers.contains) ?? false }
    }

    /// Deletes all.
    public func deleteAll() { kept = [] }
}
