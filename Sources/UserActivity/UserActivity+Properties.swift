// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// What travels to the other device.
extension UserActivity {
    /// A name to show to the user.
    public var title: String? {
        get { read(\.state.title) }
        set { change { $0.title = newValue } }
    }

    /// The state that the other device needs: Array, Data, Date, Dictionary, Null, Number, Set,
    /// String, UUID and URL.
    ///
    /// A value of another type is a programming error, whose message names the key;
    /// ``setUserInfo(validated:)`` throws instead.
    public var userInfo: [AnyHashable: Any]? {
        get { UserInfoValue.foundationDictionary(read(\.state.userInfo)) }
        set { Self.require { try setUserInfo(validated: newValue ?? [:]) } }
    }

    /// Adds to ``userInfo``, replacing the values of keys that are there already.
    ///
    /// - Parameter otherDictionary: Keys and values of the types that ``userInfo`` holds.
    public func addUserInfoEntries(from otherDictionary: [AnyHashable: Any]) {
        Self.require { try addUserInfoEntries(validated: otherDictionary) }
    }

    /// The keys of ``userInfo`` without which the activity makes no sense: what is kept of an
    /// activity that is stored.
    ///
    /// All of userInfo travels, whatever stands here. Nil and empty are the same.
    public var requiredUserInfoKeys: Set<String>? {
        get { read(\.state.requiredUserInfoKeys) }
        set { change { $0.requiredUserInfoKeys = newValue ?? [] } }
    }

    /// A web page that shows the same thing; another scheme than `http` or `https` is a programming
    /// error, which ``setWebpageURL(validated:)`` throws instead.
    public var webpageURL: URL? {
        get { read(\.state.webpageURL) }
        set { Self.require { try setWebpageURL(validated: newValue) } }
    }

    /// The page that led to ``webpageURL``; another scheme than `http` or `https` is a programming
    /// error.
    public var referrerURL: URL? {
        get { read(\.state.referrerURL) }
        set {
            if let newValue { Self.require { try ActivityState.validate(webpageURL: newValue, as: "referrerURL") } }
            change { $0.referrerURL = newValue }
        }
    }

    /// After this date the activity is no longer offered, nor kept.
    public var expirationDate: Date? {
        get { read(\.state.expirationDate) }
        set { change { $0.expirationDate = newValue } }
    }

    /// Which part of an app's content this is about.
    public var targetContentIdentifier: String? {
        get { read(\.state.targetContentIdentifier) }
        set { change { $0.targetContentIdentifier = newValue } }
    }

    /// The app's own name for this very activity, by which what was saved of it can be deleted.
    public var persistentIdentifier: String? {
        get { read(\.state.persistentIdentifier) }
        set { change { $0.persistentIdentifier = newValue } }
    }

    /// Whether the continuing app may ask for a pair of streams.
    public var supportsContinuationStreams: Bool {
        get { read(\.state.supportsContinuationStreams) }
        set { change { $0.supportsContinuationStreams = newValue } }
    }
}

/// The setters that throw what is a programming error elsewhere, for values that come from outside
/// of the program.
extension UserActivity {
    /// Sets ``userInfo``.
    ///
    /// - Parameter dictionary: Any values.
    /// - Throws: ``UserActivityError`` that names the key; the activity is then as it was.
    public func setUserInfo(validated dictionary: [AnyHashable: Any]) throws {
        let typed = try UserInfoValue.userInfo(from: dictionary)
        changeUserInfo { $0 = typed }
    }

    /// Sets ``userInfo`` to values that are typed already.
    ///
    /// - Throws: ``UserActivityError`` for what stands too deep or could not be looked up; the
    ///   activity is then as it was.
    package func setUserInfo(typed: UserInfo) throws {
        try ActivityState.validate(userInfo: typed)
        changeUserInfo { $0 = typed }
    }

    /// Adds to ``userInfo``.
    ///
    /// - Parameter dictionary: Any values.
    /// - Throws: ``UserActivityError`` that names the key; the activity is then as it was.
    public func addUserInfoEntries(validated dictionary: [AnyHashable: Any]) throws {
        let typed = try UserInfoValue.userInfo(from: dictionary)
        changeUserInfo { $0.merge(typed) { _, new in new } }
    }

    /// Sets ``webpageURL``.
    ///
    /// - Parameter url: Any address, or nil.
    /// - Throws: ``UserActivityError`` with `invalidWebpageURL`; the activity is then as it was.
    public func setWebpageURL(validated url: URL?) throws {
        if let url { try ActivityState.validate(webpageURL: url) }
        change { $0.webpageURL = url }
    }
}

/// What stays on the device that made the activity.
extension UserActivity {
    /// Words by which a search finds it.
    public var keywords: Set<String> {
        get { read(\.attributes.keywords) }
        set { describe { $0.keywords = newValue } }
    }

    /// What a search shows of it: the activity's own copy of what was set.
    public var contentAttributeSet: CSSearchableItemAttributeSet? {
        get { read(\.attributes.contentAttributeSet) }
        set {
            let copy = newValue.map { CSSearchableItemAttributeSet(copying: $0, for: self) }
            describe { $0.contentAttributeSet = copy }
        }
    }

    /// Whether other devices may continue it; true unless set. The other eligibilities do not
    /// depend on it.
    public var isEligibleForHandoff: Bool {
        get { read(\.attributes.isEligibleForHandoff) }
        set {
            let changed = withLock { stored in
                defer { stored.attributes.isEligibleForHandoff = newValue }
                return stored.attributes.isEligibleForHandoff != newValue && !stored.isInvalid
            }
            guard changed, isCurrent else { return }
            if newValue { becomeCurrent() } else { host?.activityResignedCurrent(self) }
        }
    }

    /// Whether it is kept for this device's own search.
    public var isEligibleForSearch: Bool {
        get { read(\.attributes.isEligibleForSearch) }
        set { describe { $0.isEligibleForSearch = newValue } }
    }

    /// Whether anybody may find it. Kept, and without effect: there is no public index on Linux.
    public var isEligibleForPublicIndexing: Bool {
        get { read(\.attributes.isEligibleForPublicIndexing) }
        set { withLock { $0.attributes.isEligibleForPublicIndexing = newValue } }
    }

    /// Whether the system may suggest it. Kept, and without effect: nothing on Linux suggests
    /// activities.
    public var isEligibleForPrediction: Bool {
        get { read(\.attributes.isEligibleForPrediction) }
        set { withLock { $0.attributes.isEligibleForPrediction = newValue } }
    }

    /// The phrase that the app suggests for a voice command. Kept, and without effect: nothing on
    /// Linux takes such commands.
    public var suggestedInvocationPhrase: String? {
        get { read(\.attributes.suggestedInvocationPhrase) }
        set { withLock { $0.attributes.suggestedInvocationPhrase = newValue } }
    }

    /// Changes what a search finds it by.
    private func describe(_ change: (inout LocalAttributes) -> Void) {
        let changed = withLock { stored in
            let before = stored.attributes.searched
            change(&stored.attributes)
            return stored.attributes.searched != before
        }
        if changed { changedForSearch() }
    }
}
