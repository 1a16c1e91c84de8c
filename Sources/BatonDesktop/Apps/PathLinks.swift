// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// The symbolic links in the components of a path.
///
/// The target of a path can change without a change in the path's own directory, when a link on the
/// way is replaced. Examples are the profiles of Nix and Guix, lists among a user's dotfiles, and
/// entries that Flatpak exports.
struct PathLinks {
    /// The links, each with its directory and name, in the order of the path.
    private(set) var links: [(directory: String, name: String)] = []
    /// The path with all links resolved, which need not exist.
    private(set) var target = "/"
    /// The first component that does not exist, or nil if all exist.
    private(set) var missing: String?

    /// The maximum number of links, as in Linux.
    private static let maximumLinks = 40

    /// Resolves an absolute path.
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

    /// Returns the components of a path, the last one first.
    private static func names(_ path: String) -> [String] {
        path.split(separator: "/").map(String.init).filter { $0 != "." }.reversed()
    }
}
