// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// What a store keeps: a value, for stores of any kind.
public struct SavedActivities: Hashable, Codable, Sendable {
    /// How many are kept; the one that was not saved for longest goes first.
    public let capacity: Int
    /// All of them, the latest saved last, expired ones included.
    public private(set) var all: [SavedUserActivity] = []

    /// None.
    ///
    /// - Parameter capacity: How many are kept, at least 1.
    public init(capacity: Int = 256) { self.capacity = max(1, capacity) }

    /// Those that have not expired, the latest saved last.
    public func activities(at date: Date = Date()) -> [SavedUserActivity] { all.filter { !$0.hasExpired(at: date) } }

    /// Those that a search finds, the latest saved first.
    ///
    /// - Parameters:
    ///   - query: Words; each must be found.
    ///   - date: What has expired by then is not found.
    public func activities(matching query: String, at date: Date = Date()) -> [SavedUserActivity] {
        activities(at: date).reversed().filter { $0.matches(query) }
    }

    /// Keeps an activity, in place of what was kept of the same one, or of one with the same
    /// persistent identifier.
    public mutating func save(_ activity: SavedUserActivity) {
        all.removeAll { $0.identity == activity.identity }
        if let name = activity.state.persistentIdentifier {
            all.removeAll { $0.state.persistentIdentifier == name }
        }
        all.append(activity)
        if all.count > capacity { all.removeFirst(all.count - capacity) }
    }

    /// Deletes those with these persistent identifiers.
    public mutating func delete(persistentIdentifiers: Set<String>) {
        all.removeAll { $0.state.persistentIdentifier.map(persistentIdentifiers.contains) ?? false }
    }

    /// Deletes all.
    public mutating func deleteAll() { all = [] }
}
