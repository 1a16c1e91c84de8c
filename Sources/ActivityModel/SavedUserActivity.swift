// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// The saved copy of an activity that a search may find.
public struct SavedUserActivity: Hashable, Codable, Sendable {
    /// The identity of the activity.
    ///
    /// After a restart of the app, no activity has this identity any more.
    public let identity: ActivityIdentity
    /// The state.
    ///
    /// If ``ActivityState/requiredUserInfoKeys`` is not empty, userInfo has only those keys.
    public var state: ActivityState
    /// Words by which a search finds the activity.
    public var keywords: Set<String>
    /// The attributes that a search uses and shows.
    public var contentAttributeSet: SearchableItemAttributes?

    /// Creates the saved copy of an activity.
    ///
    /// - Parameters:
    ///   - identity: The activity's identity.
    ///   - state: The activity's state. If it names required keys, only those entries of userInfo
    ///     are kept.
    ///   - keywords: Words by which a search finds the activity.
    ///   - contentAttributeSet: The attributes that a search uses and shows.
    public init(
        identity: ActivityIdentity, state: ActivityState, keywords: Set<String>,
        contentAttributeSet: SearchableItemAttributes?
    ) {
        self.identity = identity
        self.state = state
        self.keywords = keywords
        self.contentAttributeSet = contentAttributeSet
        let required = Set(state.requiredUserInfoKeys.map { UserInfoValue.string($0) })
        if !required.isEmpty { self.state.userInfo = state.userInfo.filter { required.contains($0.key) } }
    }

    /// Returns whether the activity has expired at a date.
    public func hasExpired(at date: Date) -> Bool { state.expirationDate.map { $0 <= date } ?? false }
}

extension SavedUserActivity {
    /// Returns whether a search finds the activity, ignoring case and accents.
    ///
    /// Each word must occur in the title, the keywords or the attributes.
    ///
    /// - Parameter query: Words. An empty query finds nothing. Words after ``maximumWords`` are
    ///   ignored.
    public func matches(_ query: String) -> Bool {
        let words = query.split(whereSeparator: \.isWhitespace).prefix(Self.maximumWords).map { SearchWord($0) }
        guard !words.isEmpty else { return false }
        let attributes = contentAttributeSet
        let texts =
            [state.title, attributes?.title, attributes?.displayName, attributes?.contentDescription].compactMap { $0 }
            + keywords + (attributes?.keywords ?? [])
        let searched = texts.map(SearchText.init)
        return words.allSatisfy { word in searched.contains { word.stands(in: $0) } }
    }

    /// The maximum number of words in a query. The number is limited because every saved activity
    /// is searched for each word.
    public static let maximumWords = 32
}
