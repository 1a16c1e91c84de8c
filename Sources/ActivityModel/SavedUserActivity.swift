// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// What is kept of an activity that a search may find.
public struct SavedUserActivity: Hashable, Codable, Sendable {
    /// Which activity it was; for one of an earlier run no activity has it any more.
    public let identity: ActivityIdentity
    /// The state, with no more of its userInfo than ``ActivityState/requiredUserInfoKeys`` names,
    /// if it names any.
    public var state: ActivityState
    /// Words by which it is found.
    public var keywords: Set<String>
    /// What is shown of it.
    public var contentAttributeSet: SearchableItemAttributes?

    /// What is kept of a state.
    ///
    /// - Parameters:
    ///   - identity: Which activity it is.
    ///   - state: Its state; of its userInfo only what is required is kept, if that is said.
    ///   - keywords: Words by which it is found.
    ///   - contentAttributeSet: What is shown of it.
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

    /// Whether it is to be kept no longer.
    public func hasExpired(at date: Date) -> Bool { state.expirationDate.map { $0 <= date } ?? false }
}

extension SavedUserActivity {
    /// Whether a search finds it: each word stands in its title, its keywords or its attributes,
    /// whatever the case and the accents.
    ///
    /// - Parameter query: Words; none find nothing, and those beyond ``maximumWords`` do not count.
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

    /// How many words of a query count: each is looked for in all that is kept.
    public static let maximumWords = 32
}
