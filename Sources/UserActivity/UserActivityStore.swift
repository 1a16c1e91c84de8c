// SPDX-License-Identifier: Apache-2.0

/// Where saved activities are: at the daemon, or in memory.
public protocol UserActivityStore: Sendable {
    /// Keeps an activity, in place of what was kept of the same one, or of one with the same
    /// persistent identifier.
    func save(_ activity: SavedUserActivity) async throws
    /// Deletes those with these persistent identifiers; unknown ones do no harm.
    func delete(persistentIdentifiers: Set<String>) async throws
    /// Deletes all of this app's.
    func deleteAll() async throws
}

extension UserActivity {
    /// What would be kept of this activity; nil when it is not eligible for search.
    public var savedActivity: SavedUserActivity? {
        withLock { stored in
            guard stored.attributes.isEligibleForSearch, !stored.isInvalid else { return nil }
            var state = stored.state
            let key = UserInfoValue.string(UserActivityDocumentURLKey)
            // What is found is found on this device.
            if let file = stored.documentFile, state.userInfo[key] != nil { state.userInfo[key] = .url(file) }
            return SavedUserActivity(
                identity: identity, state: state, keywords: stored.attributes.keywords,
                contentAttributeSet: stored.attributes.searched.contents)
        }
    }

    /// Brings the store up to date, if the activity is to be found.
    ///
    /// - Parameter deletions: How often something had been deleted when this was asked for; nil for
    ///   what is asked for now.
    func keep(unlessDeletedSince deletions: Int? = nil) {
        guard let store = Self.chosenStore ?? (host as? any UserActivityStore) ?? Self.store,
            let activity = savedActivity
        else { return }
        StoreQueue.save(activity, in: store, unlessDeletedSince: deletions)
    }

    /// Deletes what was saved of activities (Foundation's method of this name).
    ///
    /// - Parameters:
    ///   - persistentIdentifiers: Those activities' ``persistentIdentifier``; unknown ones do no
    ///     harm.
    ///   - handler: Called once, when it is done.
    public static func deleteSavedUserActivities(
        withPersistentIdentifiers persistentIdentifiers: [String],
        completionHandler handler: @escaping @Sendable () -> Void
    ) {
        delete(persistentIdentifiers, then: handler)
    }

    /// Deletes what was saved of all activities of this app (Foundation's method of this name).
    ///
    /// - Parameter handler: Called once, when it is done.
    public static func deleteAllSavedUserActivities(completionHandler handler: @escaping @Sendable () -> Void) {
        deleteAll(then: handler)
    }

    /// Deletes what was saved of activities, and returns when it is done; a store that cannot says
    /// so to the app's developer.
    ///
    /// - Parameter persistentIdentifiers: Those activities' ``persistentIdentifier``; unknown ones
    ///   do no harm.
    public static func deleteSavedUserActivities(withPersistentIdentifiers persistentIdentifiers: [String]) async {
        await delete(persistentIdentifiers).value
    }

    /// Deletes what was saved of all activities of this app, and returns when it is done; a store
    /// that cannot says so to the app's developer.
    public static func deleteAllSavedUserActivities() async { await deleteAll().value }

    @discardableResult
    private static func delete(
        _ identifiers: [String], then done: @escaping @Sendable () -> Void = {}
    ) -> Task<Void, Never> {
        StoreQueue.delete { [store] in
            try? await store?.delete(persistentIdentifiers: Set(identifiers))
            done()
        }
    }

    @discardableResult
    private static func deleteAll(then done: @escaping @Sendable () -> Void = {}) -> Task<Void, Never> {
        StoreQueue.delete { [store] in
            try? await store?.deleteAll()
            done()
        }
    }
}
