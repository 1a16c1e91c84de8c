// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// What an app claims of a domain, and what the domain says: one element of `Domains.List`.
public struct DomainStatus: Hashable, Sendable {
    /// How it is.
    public struct State: Hashable, Sendable, RawRepresentable {
        /// The word on the bus. More may come.
        public var rawValue: String
        /// A state with this word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The domain approves the app, which continues its pages.
        public static let agreed = State(rawValue: "agreed")
        /// The domain has not been asked yet.
        public static let pending = State(rawValue: "pending")
        /// The claim does not count, or the domain does not approve the app.
        public static let refused = State(rawValue: "refused")
        /// The domain could not be asked, and what it said before does not hold any more.
        public static let unreachable = State(rawValue: "unreachable")
    }

    /// The app's id.
    public var application: String
    /// What its desktop entry says.
    public var claim: String
    /// The domain that is asked; nil where the claim names none.
    public var domain: String?
    /// What the domain calls the app, `TEAM.app-id`; nil for an app without a team.
    public var identifier: String?
    /// How it is.
    public var state: State
    /// Why, or what went wrong the last time; nil where there is nothing to say.
    public var reason: String?
    /// When the domain last answered.
    public var answered: Date?
    /// When it is asked next.
    public var next: Date?

    /// One.
    public init(
        application: String, claim: String, domain: String? = nil, identifier: String? = nil, state: State,
        reason: String? = nil, answered: Date? = nil, next: Date? = nil
    ) {
        self.application = application
        self.claim = claim
        self.domain = domain
        self.identifier = identifier
        self.state = state
        self.reason = reason
        self.answered = answered
        self.next = next
    }
}
