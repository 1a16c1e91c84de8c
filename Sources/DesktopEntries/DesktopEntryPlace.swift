// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc

/// The origin of a desktop entry, judged by its path and owner.
public enum DesktopEntryPlace: Hashable, Sendable {
    /// The system: the file and its directory belong to root, and not everyone may write them.
    case ordinary
    /// The user, or an account other than root.
    ///
    /// The entry may come from any program that the user has run.
    case user
    /// Flatpak: the file is among the exports of an installation.
    case flatpak
    /// snapd.
    case snap
    /// xdg-desktop-portal, which writes entries that sandboxed apps request (DynamicLauncher).
    case portal

    /// Finds the origin of a file, or of the file that a link leads to.
    ///
    /// Both paths are examined because the user may have linked to a sandbox's file from elsewhere.
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

    /// Returns whether root owns a file, its link's target, and the directories of both.
    private static func isOfSystem(_ file: URL) -> Bool {
        [file, file.resolvingSymlinksInPath()].flatMap { [$0, $0.deletingLastPathComponent()] }.allSatisfy { path in
            var status = stat()
            guard lstat(path.path, &status) == 0, status.st_uid == 0 else { return false }
            // Linux ignores the permissions of a symbolic link itself.
            return status.st_mode & S_IFMT == S_IFLNK || status.st_mode & S_IWOTH == 0
        }
    }
}
