// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// Where a user and a system say which app opens what, beside the directories of desktop entries.
public struct MimePlaces: Sendable {
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

    /// Those of this process's environment: `$XDG_CONFIG_HOME`, `$XDG_CONFIG_DIRS` and
    /// `$XDG_CURRENT_DESKTOP`.
    public static var ofUser: MimePlaces {
        let environment = ProcessInfo.processInfo.environment
        func list(_ variable: String) -> [Substring] {
            (environment[variable] ?? "").split(separator: ":").prefix(maximumCount).map { $0 }
        }
        let said = list("XDG_CONFIG_DIRS")
        let shared = (said.isEmpty ? ["/etc/xdg"] : said).filter { $0.hasPrefix("/") }
        return MimePlaces(
            configuration: [BaseDirectories.configuration]
                + shared.map { URL(filePath: String($0), directoryHint: .isDirectory) },
            desktops: list("XDG_CURRENT_DESKTOP").map { $0.lowercased() }.filter { !$0.contains("/") })
    }
}
