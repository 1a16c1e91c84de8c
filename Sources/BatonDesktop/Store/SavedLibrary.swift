// SPDX-License-Identifier: Apache-2.0

public import ActivityModel
public import FoundationEssentials

/// The activities of all apps that searches find: a value, with its limits.
public struct SavedLibrary: Hashable, Sendable {
    /// How many activities of an app are kept; the one that was not saved or opened for longest
    /// goes first.
    public static let capacity = 256
    /// How many apps have some; of more, the one that saved nothing for longest loses its own.
    public static let maximumApplications = 256
    /// How large one may be as it is written, in bytes.
    public static let largestActivity = 128 * 1_024
    /// How large all of them may be; beyond it those go that were not saved or opened for longest,
    /// of whatever app.
    public static let largestLibrary = 16 * 1_024 * 1_024

    /// Why something is not kept.
    public struct Refusal: Error, Hashable, Sendable, CustomStringConvertible {
        /// One line for people.
        public var description: String
        /// Whether it is too large, and not wrong.
        public var isTooLarge: Bool
    }

    struct Item: Hashable, Sendable {
        var application: String
        var activity: SavedUserActivity
        /// It as it is written.
        var encoded: Data
    }

    /// The latest saved or opened last.
    private(set) var items: [Item] = []

    /// None.
    public init() {}

    /// What was written before, within the limits.
    init(_ items: [Item], at date: Date) {
        self.items = items
        trim(at: date)
    }

    /// Keeps an activity, in place of what was kept of the same one of the app, or of one with the
    /// same persistent identifier.
    ///
    /// - Throws: ``Refusal`` for one that is too large, or that no activity can be.
    public mutating func save(_ activity: SavedUserActivity, of application: String, at date: Date) throws {
        do {
            _ = try activity.state.validated()
        } catch let error as UserActivityError {
            let property = error.property == "activityType" ? "type" : error.property
            throw Refusal(description: "\(property)\(error.path): \(error.message)", isTooLarge: false)
        }
        let encoded = try SavedCodec.encode(activity, of: application)
        guard encoded.count <= Self.largestActivity else {
            throw Refusal(
                description:
                    "the activity has \(encoded.count) bytes as it is kept, and \(Self.largestActivity) are the "
                    + "limit; give a smaller thumbnail, and say in requiredUserInfoKeys what is needed",
                isTooLarge: true)
        }
        items.removeAll { item in
            item.application == application
                && (item.activity.identity == activity.identity
                    || activity.state.persistentIdentifier.map { $0 == item.activity.state.persistentIdentifier }
                        ?? false)
        }
        items.append(Item(application: application, activity: activity, encoded: encoded))
        trim(at: date)
    }

    /// Deletes an app's activities with these persistent identifiers.
    public mutating func delete(persistentIdentifiers: Set<String>, of application: String) {
        items.removeAll {
            $0.application == application
                && ($0.activity.state.persistentIdentifier.map(persistentIdentifiers.contains) ?? false)
        }
    }

    /// Deletes all of an app's.
    public mutating func deleteAll(of application: String) { items.removeAll { $0.application == application } }

    /// What is kept of an app's, the latest first; what has expired is not.
    ///
    /// - Parameter query: Words, each of which must be found; nil for all there are.
    public func activities(of application: String, matching query: String?, at date: Date) -> [SavedUserActivity] {
        items.reversed().filter { $0.application == application && !$0.activity.hasExpired(at: date) }.map(\.activity)
            .filter { query.map($0.matches) ?? true }
    }

    /// What a search of the desktop finds, the latest first. Of several activities of an app for
    /// the same item of its own index, that is with the same `relatedUniqueIdentifier`, the latest
    /// is found.
    public func results(for query: String, at date: Date) -> [SearchResult] {
        var items: Set<[String]> = []
        return self.items.reversed().compactMap { item in
            guard !item.activity.hasExpired(at: date), item.activity.matches(query) else { return nil }
            if let related = item.activity.contentAttributeSet?.relatedUniqueIdentifier,
                !items.insert([item.application, related]).inserted
            {
                return nil
            }
            return SearchResult(application: item.application, activity: item.activity)
        }
    }

    /// One that was found, by its id; nil once it was deleted or has expired.
    public func result(_ id: String, at date: Date) -> SearchResult? {
        items.lazy.filter { !$0.activity.hasExpired(at: date) }
            .map { SearchResult(application: $0.application, activity: $0.activity) }.first { $0.id == id }
    }

    /// Notes that one was opened: it is kept longer than those that were not.
    public mutating func opened(_ id: String) {
        guard let index = items.firstIndex(where: { SearchResult.id(of: $0.activity, $0.application) == id }) else {
            return
        }
        items.append(items.remove(at: index))
    }

    /// Takes out what has expired and what is beyond the limits.
    private mutating func trim(at date: Date) {
        items.removeAll { $0.activity.hasExpired(at: date) }
        var counts: [String: Int] = [:]
        var size = 0
        var kept: [Item] = []
        for item in items.reversed() {
            guard counts[item.application] != nil || counts.count < Self.maximumApplications,
                counts[item.application, default: 0] < Self.capacity, size + item.encoded.count <= Self.largestLibrary
            else { continue }
            counts[item.application, default: 0] += 1
            size += item.encoded.count
            kept.append(item)
        }
        items = kept.reversed()
    }
}

/// An activity that a search of the desktop found.
public struct SearchResult: Hashable, Sendable, Identifiable {
    /// Whose it is.
    public var application: String
    /// What is kept of it.
    public var activity: SavedUserActivity

    /// One of an app.
    public init(application: String, activity: SavedUserActivity) {
        self.application = application
        self.activity = activity
    }

    /// The app's id and the activity's, which other apps' activities may have too.
    public var id: String { Self.id(of: activity, application) }

    static func id(of activity: SavedUserActivity, _ application: String) -> String {
        "\(application)/\(activity.identity)"
    }
}
