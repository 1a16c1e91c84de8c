// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// The symbolic links on the way that a path leads.
///
/// A directory of a profile (Nix, Guix), a list among someone's dotfiles, or an entry that Flatpak
/// exports changes without a change where its path says: a link on the way is exchanged.
struct PathLinks {
    /// The links, by the directory in which each is, the first on the way first.
    private(set) var links: [(directory: String, name: String)] = []
    /// What the path leads to, as far as it is there.
    private(set) var target = "/"
    /// The first name on the way that is not there.
    private(set) var missing: String?

    /// As many links as Linux follows.
    private static let maximumLinks = 40

    /// Follows an absolute path.
    init(_ path: String) {
        var rest = Self.names(path)
        while let name = rest.popLast() {
            if name == ".." {
                target = target.lastIndex(of: "/").map { String(target[..<$0]) } ?? ""
                if target.isEmpty { target = "/" }
                continue
            }
            let next = target == "/" ? "/\(name)" : "\(target)/\(name)"
            guard let destination = try? FileManager.default.destinationOfSymbolicLink(atPath: next) else {
                target = next
                if missing == nil, !FileManager.default.fileExists(atPath: next) { missing = name }
                continue
            }
            guard links.count < Self.maximumLinks else { return }
            links.append((target, name))
            rest += Self.names(destination)
            if destination.hasPrefix("/") { target = "/" }
        }
    }

    /// The names of a path, the last one first.
    private static func names(_ path: String) -> [String] {
        path.split(separator: "/").map(String.init).filter { $0 != "." }.reversed()
    }
}
