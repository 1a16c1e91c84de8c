// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// The saved activities of a store, limited in number.
public struct SavedActivities: Hashable, Codable, Sendable {
    /// The maximum number of activities.
    ///
    /// If more activities are saved, the activity that was saved longest ago is dropped.
    public let capacity: Int
    /// All activities, including expired ones, in the order in which they were saved.
    public private(set) var all: [SavedUserActivity] = []

    /// Creates an empty collection.
    ///
    /// - Parameter capacity: The maximum number of activities, at least 1.
    public init(capacity: Int = 256) { self.capacity = max(1, capacity) }

    /// Returns the activities that have not expired, in the order in which they were saved.
    public func activities(at date: Date = Date()) -> [SavedUserActivity] { all.filter { !$0.hasExpired(at: date) } }

    /// Returns the activities that match a search, the last saved first.
    ///
    /// - Parameters:
    ///   - query: Words that must all match.
    ///   - date: The present time. Activities that have expired do not match.
    public func activities(matching query: String, at date: Date = Date()) -> [SavedUserActivity] {
        activities(at: date).reversed().filter { $0.matches(query) }
    }

    /// Saves an activity. If it was saved before, replaces the earlier copy.
    ///
    /// Also replaces a saved activity with the same persistent identifier.
    public mutating func save(_ activity: SavedUserActivity) {
        all.removeAll { $0.identity == activity.identity }
        if let name = activity.state.persistentIdentifier {
            all.removeAll { $0.state.persistentIdentifier == name }
        }
        all.append(activity)
        if all.count > capacity { all.removeFirst(all.count - capacity) }
    }

    /// Deletes the activities with these persistent identifiers.
    public mutating func delete(persistentIdentifiers: Set<String>) {
        all.removeAll { $0.state.persistentIdentifier.map(persistentIdentifiers.contains) ?? false }
    }

    /// Deletes all activities.
    public mutating func deleteAll() { all = [] }
}
