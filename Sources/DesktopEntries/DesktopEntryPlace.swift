// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc

/// Who has put a desktop entry where it is, by its path.
public enum DesktopEntryPlace: Hashable, Sendable {
    /// The system: the file and its directory belong to root, and not everybody may write them.
    case ordinary
    /// The user, or who else is not root: any program of the user's may have put it where it is.
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
        } else if paths.contains(where: { $0.starts(with: own) }) || !Self.isOfSystem(file) {
            self = .user
        } else {
            self = .ordinary
        }
    }

    /// Whether a file, what it is a link to, and the directories of both are root's.
    private static func isOfSystem(_ file: URL) -> Bool {
        [file, file.resolvingSymlinksInPath()].flatMap { [$0, $0.deletingLastPathComponent()] }.allSatisfy { path in
            var status = stat()
            guard lstat(path.path, &status) == 0, status.st_uid == 0 else { return false }
            // A link has no permissions of its own.
            return status.st_mode & S_IFMT == S_IFLNK || status.st_mode & S_IWOTH == 0
        }
    }
}
