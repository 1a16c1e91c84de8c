// SPDX-License-Identifier: Apache-2.0

/// What a sandboxed app asks for, may do or may not: one element of `Grants.List`.
public struct AppGrant: Hashable, Sendable {
    /// How far it is.
    public struct State: Hashable, Sendable, RawRepresentable {
        /// The word on the bus. More may come.
        public var rawValue: String
        /// A state with this word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The app asks for it, and has no answer yet.
        public static let pending = State(rawValue: "pending")
        /// The user has allowed it.
        public static let granted = State(rawValue: "granted")
        /// The user has refused it, or taken it back.
        public static let refused = State(rawValue: "refused")
    }

    /// What confines the app: `flatpak`, `snap` or `unknown`.
    public var sandbox: String
    /// The app's id there.
    public var application: String
    /// How far it is.
    public var state: State
    /// The team whose activities it is about; empty for none.
    public var team: String
    /// The activity types that are not the app's own, in their order; none where it is about the
    /// team alone.
    public var types: [String]

    /// One.
    public init(sandbox: String, application: String, state: State, team: String = "", types: [String] = []) {
        self.sandbox = sandbox
        self.application = application
        self.state = state
        self.team = team
        self.types = types
    }
}
