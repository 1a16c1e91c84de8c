// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Who has put a desktop entry where it is, by its path.
public enum DesktopEntryPlace: Hashable, Sendable {
    /// The system's packages.
    case ordinary
    /// The user's own data directory, where any program of the user's may have put it.
    case user
    /// Flatpak, in what an installation exports.
    case flatpak
    /// snapd.
    case snap
    /// xdg-desktop-portal, for a sandboxed app that has asked for an entry of its own making
    /// (DynamicLauncher).
    case portal

    /// The place of a file, or of what it is a link to: the user may have linked to it from
    /// elsewhere.
    init(of file: URL) {
        let paths = [file, file.resolvingSymlinksInPath()].map(\.pathComponents)
        let own = BaseDirectories.data.pathComponents
        func isBelow(_ directories: String...) -> Bool {
            paths.contains { path in path.indices.contains { path[$0...].starts(with: directories) } }
        }
        if isBelow("snapd", "desktop", "applications") {
            self = .snap
        } else if isBelow("exports", "share", "applications") || isBelow("export", "share", "applications") {
            self = .flatpak
        } else if isBelow("xdg-desktop-portal", "applications") {
            self = .portal
        } else if paths.contains(where: { $0.starts(with: own) }) {
            self = .user
        } else {
            self = .ordinary
        }
    }
}
