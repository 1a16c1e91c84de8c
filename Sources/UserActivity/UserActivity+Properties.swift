// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The properties that are sent to the other device.
extension UserActivity {
    /// The name of the activity that users see.
    public var title: String? {
        get { read(\.state.title) }
        set { change { $0.title = newValue } }
    }

    /// The state that the other device needs to continue the activity.
    ///
    /// Keys and values may be of the types Array, Data, Date, Dictionary, Null, Number, Set,
    /// String, UUID and URL. A value of another type is a programming error, whose message names
    /// the key. ``setUserInfo(validated:)`` throws instead.
    public var userInfo: [AnyHashable: Any]? {
        get { UserInfoValue.foundationDictionary(read(\.state.userInfo)) }
        set { Self.require { try setUserInfo(validated: newValue ?? [:]) } }
    }

    /// Adds entries to ``userInfo``, and replaces the values of existing keys.
    ///
    /// - Parameter otherDictionary: Keys and values of the types that ``userInfo`` holds.
    public func addUserInfoEntries(from otherDictionary: [AnyHashable: Any]) {
        Self.require { try addUserInfoEntries(validated: otherDictionary) }
    }

    /// The keys of ``userInfo`` that are kept when the activity is stored.
    ///
    /// Without these entries the activity makes no sense. A hand-over sends all of userInfo,
    /// whatever the value of this property. Nil and empty mean the same.
    public var requiredUserInfoKeys: Set<String>? {
        get { read(\.state.requiredUserInfoKeys) }
        set { change { $0.requiredUserInfoKeys = newValue ?? [] } }
    }

    /// A web page that shows the same content.
    ///
    /// A scheme other than `http` or `https` is a programming error. ``setWebpageURL(validated:)``
    /// throws instead.
    public var webpageURL: URL? {
        get { read(\.state.webpageURL) }
        set { Self.require { try setWebpageURL(validated: newValue) } }
    }

    /// The page that led to ``webpageURL``.
    ///
    /// A scheme other than `http` or `https` is a programming error.
    public var referrerURL: URL? {
        get { read(\.state.referrerURL) }
        set {
            if let newValue { Self.require { try ActivityState.validate(webpageURL: newValue, as: "referrerURL") } }
            change { $0.referrerURL = newValue }
        }
    }

    /// The date after which the activity is neither offered nor kept.
    public var expirationDate: Date? {
        get { read(\.state.expirationDate) }
        set { change { $0.expirationDate = newValue } }
    }

    /// The part of the app's content that the activity is about.
    public var targetContentIdentifier: String? {
        get { read(\.state.targetContentIdentifier) }
        set { change { $0.targetContentIdentifier = newValue } }
    }

    /// The app's own name for this activity, which can later delete its saved copy.
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

/// Setters for values from outside of the program.
///
/// These setters throw where the properties stop the program.
extension UserActivity {
    /// Sets ``userInfo``.
    ///
    /// - Parameter dictionary: Any values.
    /// - Throws: ``UserActivityError`` that names the key. The activity is then unchanged.
    public func setUserInfo(validated dictionary: [AnyHashable: Any]) throws {
        let typed = try UserInfoValue.userInfo(from: dictionary)
        changeUserInfo { $0 = typed }
    }

    /// Sets ``userInfo`` to values that are already typed.
    ///
    /// - Throws: ``UserActivityError`` for a value that is nested too deeply or cannot be a key.
    ///   The activity is then unchanged.
    package func setUserInfo(typed: UserInfo) throws {
        try ActivityState.validate(userInfo: typed)
        changeUserInfo { $0 = typed }
    }

    /// Adds entries to ``userInfo``.
    ///
    /// - Parameter dictionary: Any values.
    /// - Throws: ``UserActivityError`` that names the key. The activity is then unchanged.
    public func addUserInfoEntries(validated dictionary: [AnyHashable: Any]) throws {
        let typed = try UserInfoValue.userInfo(from: dictionary)
        changeUserInfo { $0.merge(typed) { _, new in new } }
    }

    /// Sets ``webpageURL``.
    ///
    /// - Parameter url: Any address, or nil.
    /// - Throws: ``UserActivityError`` with `invalidWebpageURL`. The activity is then unchanged.
    public func setWebpageURL(validated url: URL?) throws {
        if let url { try ActivityState.validate(webpageURL: url) }
        change { $0.webpageURL = url }
    }
}

/// The properties that stay on the device that made the activity.
extension UserActivity {
    /// Words by which a search finds the activity.
    public var keywords: Set<String> {
        get { read(\.attributes.keywords) }
        set { describe { $0.keywords = newValue } }
    }

    /// The attributes that a search shows: the activity's own copy of the assigned set.
    public var contentAttributeSet: CSSearchableItemAttributeSet? {
        get { read(\.attributes.contentAttributeSet) }
        set {
            let copy = newValue.map { CSSearchableItemAttributeSet(copying: $0, for: self) }
            describe { $0.contentAttributeSet = copy }
        }
    }

    /// Whether other devices may continue the activity. The value is true by default.
    ///
    /// The other eligibilities do not depend on this property.
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

    /// Whether this device's search may find the activity.
    public var isEligibleForSearch: Bool {
        get { read(\.attributes.isEligibleForSearch) }
        set { describe { $0.isEligibleForSearch = newValue } }
    }

    /// Whether anyone may find the activity. Has no effect, because Linux has no public index.
    public var isEligibleForPublicIndexing: Bool {
        get { read(\.attributes.isEligibleForPublicIndexing) }
        set { withLock { $0.attributes.isEligibleForPublicIndexing = newValue } }
    }

    /// Whether the system may suggest the activity.
    ///
    /// Has no effect, because nothing on Linux suggests activities.
    public var isEligibleForPrediction: Bool {
        get { read(\.attributes.isEligibleForPrediction) }
        set { withLock { $0.attributes.isEligibleForPrediction = newValue } }
    }

    /// The phrase that the app suggests for a voice command.
    ///
    /// Has no effect, because nothing on Linux listens for such commands.
    public var suggestedInvocationPhrase: String? {
        get { read(\.attributes.suggestedInvocationPhrase) }
        set { withLock { $0.attributes.suggestedInvocationPhrase = newValue } }
    }

    /// Changes a searchable property, and updates the store if its value is new.
    private func describe(_ change: (inout LocalAttributes) -> Void) {
        let changed = withLock { stored in
            let before = stored.attributes.searched
            change(&stored.attributes)
            return stored.attributes.searched != before
        }
        if changed { changedForSearch() }
    }
}
