// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// The places of the lists of default apps, outside of the directories of desktop entries.
public struct MimePlaces: Hashable, Sendable {
    /// The directories of `mimeapps.list`, in order of precedence.
    public var configuration: [URL]
    /// The names of the desktops whose own lists, such as `gnome-mimeapps.list`, come first.
    public var desktops: [String]

    /// Creates a set of places, by default an empty one.
    public init(configuration: [URL] = [], desktops: [String] = []) {
        self.configuration = configuration
        self.desktops = desktops
    }

    /// The maximum number of directories and of desktops.
    static let maximumCount = 16

    /// Finds the places for a session.
    ///
    /// The places come from `$XDG_CONFIG_HOME`, `$XDG_CONFIG_DIRS` and `$XDG_CURRENT_DESKTOP`.
    public init(of session: SessionVariables) {
        self.init(
            configuration: Array(session.configurationDirectories.prefix(1 + Self.maximumCount)),
            desktops: session.desktops.prefix(Self.maximumCount).map { $0.lowercased() }.filter { !$0.contains("/") })
    }
}
