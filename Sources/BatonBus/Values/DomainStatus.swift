// SPDX-License-Identifier: Apache-2.0

public import Diagnosis
public import FoundationEssentials

/// An app's claim to a domain, and the domain's answer: one element of `Domains.List`.
public struct DomainStatus: Hashable, Sendable {
    /// The state of a claim.
    public struct State: Hashable, Sendable, RawRepresentable {
        /// The word on the bus. Later versions may add more.
        public var rawValue: String
        /// Creates a state with this word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The domain approves the app, so the app may continue the domain's pages.
        public static let agreed = State(rawValue: "agreed")
        /// Baton has not asked the domain about the app yet.
        public static let pending = State(rawValue: "pending")
        /// The claim is invalid, the domain does not approve the app, or its approval is too old.
        public static let refused = State(rawValue: "refused")
        /// Baton could not reach the domain at the last attempt, and has no valid approval from
        /// before.
        public static let unreachable = State(rawValue: "unreachable")
    }

    /// The app's id.
    public var application: String
    /// The claim as the app's desktop entry states it.
    public var claim: String
    /// The domain that Baton asks, or nil if the claim names none.
    public var domain: String?
    /// The domain's name for the app, `TEAM.app-id`, or nil for an app without a team.
    public var identifier: String?
    /// The state of the claim.
    public var state: State
    /// The reason for the state, or the last failure, or nil if there is neither.
    public var reason: Finding?
    /// The time of the domain's last answer, or nil if there was none.
    public var answered: Date?
    /// The time at which Baton asks the domain next, or nil if Baton does not ask.
    public var next: Date?

    /// Creates the status of a claim.
    public init(
        application: String, claim: String, domain: String? = nil, identifier: String? = nil, state: State,
        reason: Finding? = nil, answered: Date? = nil, next: Date? = nil
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
