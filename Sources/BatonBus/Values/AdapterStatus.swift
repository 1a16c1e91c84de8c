// SPDX-License-Identifier: Apache-2.0

/// The status of an adapter, which speaks for apps that do not know Baton: one element of
/// `Adapters.List`.
public struct AdapterStatus: Hashable, Sendable {
    /// Whether the adapter is active, and the reason if it is not.
    public struct State: Hashable, Sendable, RawRepresentable {
        /// The word on the bus. Later versions may add more.
        public var rawValue: String
        /// Creates a state with this word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The adapter is active: it publishes for its apps, and continues the types in its desktop
        /// entry.
        public static let on = State(rawValue: "on")
        /// The user has switched this adapter or all adapters off.
        public static let off = State(rawValue: "off")
        /// The adapter is one of the user's own, and the user has not decided about it yet.
        public static let pending = State(rawValue: "pending")
        /// The user has refused the adapter.
        public static let refused = State(rawValue: "refused")
    }

    /// The adapter's id, which names its desktop entry.
    public var adapter: String
    /// The name of the things that the adapter hands over, as people see it.
    public var name: String
    /// Whether the adapter is active.
    public var state: State
    /// Whether the adapter's entry is in the user's own directory. Such an adapter is active only
    /// after the user has allowed it.
    public var isOfUser: Bool
    /// The ids of the apps for which the adapter speaks, or `*` for all.
    public var applications: [String]
    /// The activity types that the adapter continues.
    public var types: [String]

    /// Creates the status of an adapter.
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
