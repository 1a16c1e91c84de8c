// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// Where a user and a system say which app opens what, beside the directories of desktop entries.
public struct MimePlaces: Hashable, Sendable {
    /// The directories of `mimeapps.list`, the first that counts first.
    public var configuration: [URL]
    /// The desktops whose own lists (`gnome-mimeapps.list`) come first, by the names of these.
    public var desktops: [String]

    /// Places; none unless said.
    public init(configuration: [URL] = [], desktops: [String] = []) {
        self.configuration = configuration
        self.desktops = desktops
    }

    /// How many directories, and how many desktops, count.
    static let maximumCount = 16

    /// Those of a session: `$XDG_CONFIG_HOME`, `$XDG_CONFIG_DIRS` and `$XDG_CURRENT_DESKTOP`.
    public init(of session: SessionVariables) {
        self.init(
            configuration: Array(session.configurationDirectories.prefix(1 + Self.maximumCount)),
            desktops: session.desktops.prefix(Self.maximumCount).map { $0.lowercased() }.filter { !$0.contains("/") })
    }
}
