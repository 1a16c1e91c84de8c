// SPDX-License-Identifier: Apache-2.0

/// The installed apps that can take part, and the adapters that speak for some of them.
public struct InstalledApps: Hashable, Sendable {
    /// The apps, ordered by id.
    public var apps: [AppStatus]
    /// The adapters, ordered by id.
    public var adapters: [AdapterStatus]

    /// Creates a list of apps and adapters.
    public init(apps: [AppStatus], adapters: [AdapterStatus]) { (self.apps, self.adapters) = (apps, adapters) }
}

/// An installed app that can take part in Baton, and whether it does.
public struct AppStatus: Hashable, Sendable {
    /// Whether the app takes part, and what is missing if it does not.
    public struct State: Hashable, Sendable, RawRepresentable {
        /// The word on the bus. Later versions may add more.
        public var rawValue: String
        /// Creates a state with this word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The app takes part.
        public static let on = State(rawValue: "on")
        /// The user has switched the app's adapter, or all adapters, off.
        public static let off = State(rawValue: "off")
        /// The app's adapter is one of the user's own, and the user has not decided about it yet.
        public static let pending = State(rawValue: "pending")
        /// The user has refused the app's adapter.
        public static let refused = State(rawValue: "refused")
        /// A file that the app's adapter needs is missing. ``AppStatus/package`` names the package
        /// that contains the file.
        public static let missing = State(rawValue: "missing")
        /// The app is sandboxed, so no adapter may speak for it.
        public static let sandboxed = State(rawValue: "sandboxed")
    }

    /// The app's id.
    public var application: String
    /// The app's name in the user's language.
    public var name: String
    /// Whether the app takes part.
    public var state: State
    /// The id of the app's adapter, or nil if the app itself knows Baton or is a browser.
    public var adapter: String?
    /// The things that Baton hands over from the app, in English, such as "file or page, second".
    /// The text is nil for an app that knows Baton itself.
    public var goesOn: String?
    /// The package that contains the missing file, or nil if it is unknown.
    public var package: String?
    /// The activity types that the app continues, itself or through its adapter.
    public var types: [String]

    /// Creates the status of an app.
    public init(
        application: String, name: String, state: State, adapter: String? = nil, goesOn: String? = nil,
        package: String? = nil, types: [String] = []
    ) {
        self.application = application
        self.name = name
        self.state = state
        self.adapter = adapter
        self.goesOn = goesOn
        self.package = package
        self.types = types
    }
}
