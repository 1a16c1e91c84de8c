// SPDX-License-Identifier: Apache-2.0

public import ActivityModel
import BatonBus
import Diagnosis
public import FoundationEssentials

/// The saved activities of all apps, which searches find. The library enforces its limits.
public struct SavedLibrary: Hashable, Sendable {
    /// The maximum number of activities of one app. If an app saves more, the activity that was
    /// saved or opened longest ago is dropped.
    public static let capacity = 256
    /// The maximum number of apps with activities. If there are more apps, the app whose last save
    /// or opening was longest ago loses its activities.
    public static let maximumApplications = 256
    /// The maximum encoded size of one activity, in bytes.
    public static let largestActivity = 128 * 1_024
    /// The maximum encoded size of all activities, in bytes. If they are larger, those that were
    /// saved or opened longest ago are dropped, whatever their app.
    public static let largestLibrary = 16 * 1_024 * 1_024

    struct Item: Hashable, Sendable {
        var application: String
        var activity: SavedUserActivity
        /// The activity's encoded line.
        var encoded: Data
    }

    /// The saved activities. The activity that was saved or opened last is at the end.
    private(set) var items: [Item] = []

    /// Creates an empty library.
    public init() {}

    /// Creates a library of saved activities, and enforces the limits.
    init(_ items: [Item], at date: Date) {
        self.items = items
        trim(at: date)
    }

    /// Saves an activity. Replaces an earlier save of the same activity, and the app's activity
    /// with the same persistent identifier.
    ///
    /// - Throws: ``BatonError`` if the activity is too large or invalid.
    public mutating func save(_ activity: SavedUserActivity, of application: String, at date: Date) throws {
        do {
            _ = try activity.state.validated()
        } catch let error as UserActivityError {
            throw BatonError(error)
        }
        let encoded = try SavedCodec.encode(activity, of: application)
        guard encoded.count <= Self.largestActivity else {
            throw BatonError(
                .userInfoTooLarge, .savedTooLarge,
                ["size": .count(encoded.count), "limit": .count(Self.largestActivity)])
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

    /// Deletes all activities of an app.
    public mutating func deleteAll(of application: String) { items.removeAll { $0.application == application } }

    /// Returns an app's activities that have not expired, the latest first.
    ///
    /// - Parameter query: Words that must all be found, or nil for all activities.
    public func activities(of application: String, matching query: String?, at date: Date) -> [SavedUserActivity] {
        items.reversed().filter { $0.application == application && !$0.activity.hasExpired(at: date) }.map(\.activity)
            .filter { query.map($0.matches) ?? true }
    }

    /// Returns the results of a desktop search, the latest first.
    ///
    /// If several activities of an app refer to the same item of its own index, by the same
    /// `relatedUniqueIdentifier`, only the latest is found.
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

    /// Returns a search result by its id, or nil if it was deleted or has expired.
    public func result(_ id: String, at date: Date) -> SearchResult? {
        items.lazy.filter { !$0.activity.hasExpired(at: date) }
            .map { SearchResult(application: $0.application, activity: $0.activity) }.first { $0.id == id }
    }

    /// Records that a result was opened, so that it is kept longer than others.
    public mutating func opened(_ id: String) {
        guard let index = items.firstIndex(where: { SearchResult.id(of: $0.activity, $0.application) == id }) else {
            return
        }
        items.append(items.remove(at: index))
    }

    /// Removes expired activities and those beyond the limits.
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
    /// The id of the app that saved the activity.
    public var application: String
    /// The saved activity.
    public var activity: SavedUserActivity

    /// Creates a result.
    public init(application: String, activity: SavedUserActivity) {
        self.application = application
        self.activity = activity
    }

    /// The result's id: the app's id and the activity's id. The activity's id alone is not unique
    /// among apps.
    public var id: String { Self.id(of: activity, application) }

    static func id(of activity: SavedUserActivity, _ application: String) -> String {
        "\(application)/\(activity.identity)"
    }
}
