// SPDX-License-Identifier: Apache-2.0

/// A sandboxed app's pending, granted or refused request: one element of `Grants.List`.
public struct AppGrant: Hashable, Sendable {
    /// The user's decision about a request.
    public struct State: Hashable, Sendable, RawRepresentable {
        /// The word on the bus. Later versions may add more.
        public var rawValue: String
        /// Creates a state with this word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The app has asked, and the user has not answered yet.
        public static let pending = State(rawValue: "pending")
        /// The user has allowed the request.
        public static let granted = State(rawValue: "granted")
        /// The user has refused the request or revoked the grant.
        public static let refused = State(rawValue: "refused")
    }

    /// The sandbox that confines the app: `flatpak`, `snap` or `unknown`.
    public var sandbox: String
    /// The app's id in that sandbox.
    public var application: String
    /// The user's decision.
    public var state: State
    /// The team whose activities the app wants to use, or empty for none.
    public var team: String
    /// The sorted activity types that are not the app's own, or empty if the request is about the
    /// team only.
    public var types: [String]

    /// Creates a grant.
    public init(sandbox: String, application: String, state: State, team: String = "", types: [String] = []) {
        self.sandbox = sandbox
        self.application = application
        self.state = state
        self.team = team
        self.types = types
    }
}
