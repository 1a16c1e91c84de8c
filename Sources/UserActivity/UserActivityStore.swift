// SPDX-License-Identifier: Apache-2.0

/// A store of saved activities, at the daemon or in memory.
public protocol UserActivityStore: Sendable {
    /// Saves an activity. If it was saved before, replaces the earlier copy.
    ///
    /// Also replaces a saved activity with the same persistent identifier.
    func save(_ activity: SavedUserActivity) async throws
    /// Deletes the activities with these persistent identifiers, and ignores unknown identifiers.
    func delete(persistentIdentifiers: Set<String>) async throws
    func deleteAll() async throws
}

extension UserActivity {
    /// The copy of this activity for a store; nil if the activity is not eligible for search or has
    /// ended.
    public var savedActivity: SavedUserActivity? {
        withLock { stored in
            guard stored.attributes.isEligibleForSearch, !stored.isInvalid else { return nil }
            var state = stored.state
            let key = UserInfoValue.string(UserActivityDocumentURLKey)
            // A search opens the activity on this device, so the copy has this device's path.
            if let file = stored.documentFile, state.userInfo[key] != nil { state.userInfo[key] = .url(file) }
            return SavedUserActivity(
                identity: identity, state: state, keywords: stored.attributes.keywords,
                contentAttributeSet: stored.attributes.searched.contents)
        }
    }

    /// Saves the activity in its store, if a search may find it.
    ///
    /// - Parameter deletions: The number of deletions when the save was requested, or nil for a
    ///   save that is requested now.
    func keep(unlessDeletedSince deletions: Int? = nil) {
        guard let store = Self.chosenStore ?? (host as? any UserActivityStore) ?? Self.store,
            let activity = savedActivity
        else { return }
        StoreQueue.save(activity, in: store, unlessDeletedSince: deletions)
    }

    /// Deletes the saved copies of activities (Foundation's method of this name).
    ///
    /// - Parameters:
    ///   - persistentIdentifiers: The ``persistentIdentifier`` of each activity. Unknown
    ///     identifiers are ignored.
    ///   - handler: Called once, after the deletion.
    public static func deleteSavedUserActivities(
        withPersistentIdentifiers persistentIdentifiers: [String],
        completionHandler handler: @escaping @Sendable () -> Void
    ) {
        delete(persistentIdentifiers, then: handler)
    }

    /// Deletes the saved copies of all activities of this app (Foundation's method of this name).
    ///
    /// - Parameter handler: Called once, after the deletion.
    public static func deleteAllSavedUserActivities(completionHandler handler: @escaping @Sendable () -> Void) {
        deleteAll(then: handler)
    }

    /// Deletes the saved copies of activities, and returns afterwards.
    ///
    /// If the store cannot delete them, the app's developer gets a warning.
    ///
    /// - Parameter persistentIdentifiers: The ``persistentIdentifier`` of each activity. Unknown
    ///   identifiers are ignored.
    public static func deleteSavedUserActivities(withPersistentIdentifiers persistentIdentifiers: [String]) async {
        await delete(persistentIdentifiers).value
    }

    /// Deletes the saved copies of all activities of this app, and returns afterwards.
    ///
    /// If the store cannot delete them, the app's developer gets a warning.
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
