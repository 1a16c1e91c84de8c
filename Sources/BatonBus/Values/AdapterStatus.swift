// SPDX-License-Identifier: Apache-2.0

/// A program that speaks for apps which do not know Baton: one element of `Adapters.List`.
public struct AdapterStatus: Hashable, Sendable {
    /// Whether it counts, and why not.
    public struct State: Hashable, Sendable, RawRepresentable {
        /// The word on the bus. More may come.
        public var rawValue: String
        /// A state with this word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// It counts: it publishes for its apps, and continues what it declares.
        public static let on = State(rawValue: "on")
        /// The user has switched it off, or all of them.
        public static let off = State(rawValue: "off")
        /// The user has yet to say whether it counts, as it is one of the user's own.
        public static let pending = State(rawValue: "pending")
        /// The user has refused it.
        public static let refused = State(rawValue: "refused")
    }

    /// Its id, which names its desktop entry.
    public var adapter: String
    /// What it calls that which it hands over, for people.
    public var name: String
    /// Whether it counts.
    public var state: State
    /// Whether its entry is in the user's own directory, so that it counts only once the user has
    /// allowed it.
    public var isOfUser: Bool
    /// The ids of the apps for which it speaks, or `*`.
    public var applications: [String]
    /// The activity types that it continues.
    public var types: [String]

    /// One.
    public init(
        adapter: String, name: String, state: State, isOfUser: Bool = false, applications: [String] = [],
        types: [String] = []
    ) {
        self.adapter = adapter
        self.name = name
        self.state = state
        self.isOfUser = isOfUser
        self.applications = applications
        self.types = types
    }
}
