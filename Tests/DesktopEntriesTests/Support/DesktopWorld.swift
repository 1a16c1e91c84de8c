// SPDX-License-Identifier: Apache-2.0

import BatonTesting
import DesktopEntries
import Foundation
import Glibc

/// A user's desktop, generated from a seed: entries in several directories, lists, links and
/// programs.
struct DesktopWorld {
    /// The possible ids. Those with a `-` are in subdirectories.
    static let identifiers = ["a", "b", "org.example.C", "kde-d", "linked-e", "deep-er-f"]
    /// The types in the desktop's lists.
    static let types = [
        "text/plain", "text/x-c", "text/html", "application/pdf", "application/x-pdf", "x-scheme-handler/https",
    ]
    private static let desktops = ["", "GNOME", "KDE:gnome", "x/y:KDE", "é:GNOME"]
    private static let languages = ["", "de", "de_AT.UTF-8", "fr:de", "sr_RS@latin", "C"]

    let desktop: String
    let language: String
    private let seed: UInt64

    init(seed: UInt64) {
        self.seed = seed
        var random = SeededRandom(seed: seed)
        desktop = random.one(of: Self.desktops)
        language = random.one(of: Self.languages)
    }

    // MARK: - As Baton and GIO know it

    func environment(in root: URL) -> [String: String] {
        [
            "HOME": root.path, "XDG_CONFIG_HOME": "\(root.path)/config", "XDG_CONFIG_DIRS": "\(root.path)/xdg",
            "XDG_DATA_HOME": "\(root.path)/own", "XDG_DATA_DIRS": "\(root.path)/near:\(root.path)/system",
            "XDG_CURRENT_DESKTOP": desktop, "LANGUAGE": language, "LC_ALL": "C",
            "PATH": "\(root.path)/bin:/usr/bin:/bin",
        ]
    }

    func applications(in root: URL) -> [URL] {
        ["own", "near", "system"].map { root.appending(path: "\($0)/applications") }
    }

    func programs(in root: URL) -> Programs { Programs(directories: ["\(root.path)/bin", "/usr/bin", "/bin"]) }

    var languages: [String] { (language.isEmpty ? "C" : language).split(separator: ":").map(String.init) }

    func index(in root: URL) -> DesktopEntryIndex {
        let places = MimePlaces(
            configuration: ["config", "xdg"].map { root.appending(path: $0) },
            desktops: desktop.split(separator: ":").map { $0.lowercased() })
        return DesktopEntryIndex(
            directories: applications(in: root), languages: languages, mimePlaces: places, programs: programs(in: root))
    }

    // MARK: - The desktop on the disk

    /// Writes the desktop into a directory.
    func write(in root: URL) throws {
        var grammar = DesktopGrammar(random: SeededRandom(seed: seed &+ 1))
        try writePrograms(in: root)
        for directory in applications(in: root) {
            try Self.makeDirectory(directory)
            for identifier in Self.identifiers where grammar.random.happens(50) {
                try writeEntry(identifier, in: directory, root, &grammar)
            }
            try writeNoise(in: directory, &grammar)
        }
        for (directory, hasApps) in ["config", "xdg"].map({ (root.appending(path: $0), false) })
            + applications(in: root).map({ ($0, true) })
        {
            try Self.makeDirectory(directory)
            let names = [
                "mimeapps.list", "gnome-mimeapps.list", "kde-mimeapps.list", "defaults.list", "mimeinfo.cache",
            ]
            for name in names where grammar.random.happens(name == "mimeinfo.cache" && hasApps ? 70 : 25) {
                let bytes = grammar.list(isCache: name == "mimeinfo.cache")
                try Self.write(bytes, to: directory.appending(path: name), root, &grammar.random)
            }
        }
        let mime = root.appending(path: "near/mime")
        try Self.makeDirectory(mime)
        try Data("# made\napplication/x-pdf application/pdf\nodd\n".utf8).write(to: mime.appending(path: "aliases"))
        try Data("text/x-c text/plain\ntext/html text/plain\ntext/plain text/x-c\n".utf8)
            .write(to: mime.appending(path: "subclasses"))
    }

    private func writePrograms(in root: URL) throws {
        let programs = root.appending(path: "bin")
        try Self.makeDirectory(programs.appending(path: "folder"))
        let script = "#!/bin/sh\nfor word; do printf '%s\\0' \"$word\"; done >\"$BATON_ARGUMENTS\"\n"
        for (name, mode) in [("args", 0o755), ("no-mode", 0o644)] {
            let file = programs.appending(path: name)
            try Data(script.utf8).write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
        }
    }

    private func writeEntry(_ identifier: String, in directory: URL, _ root: URL, _ grammar: inout DesktopGrammar)
        throws
    {
        let bytes = grammar.entry()
        let parts = identifier.split(separator: "-").map(String.init)
        var place = directory
        if parts[0] == "linked" {
            // As with home-manager, the directory itself is a link.
            let target = root.appending(path: "profile-\(directory.deletingLastPathComponent().lastPathComponent)")
            try Self.makeDirectory(target)
            place = directory.appending(path: "linked")
            try FileManager.default.createSymbolicLink(atPath: place.path, withDestinationPath: target.path)
        } else {
            for part in parts.dropLast() { place = place.appending(path: part) }
            try Self.makeDirectory(place)
        }
        try Self.write(bytes, to: place.appending(path: "\(parts[parts.count - 1]).desktop"), root, &grammar.random)
    }

    /// Writes other things that occur in such directories.
    private func writeNoise(in directory: URL, _ grammar: inout DesktopGrammar) throws {
        if grammar.random.happens(10) { try Self.makeDirectory(directory.appending(path: "folder.desktop")) }
        if grammar.random.happens(10) { symlink("gone", directory.appending(path: "dangling.desktop").path) }
        if grammar.random.happens(10) {
            let name =
                Array("\(directory.path)/Pr".utf8CString.dropLast()) + [CChar(bitPattern: 0xFC)]
                + Array("fung.desktop".utf8CString)
            close(open(name, O_CREAT | O_WRONLY, 0o600))
        }
    }

    /// Writes a file, a link to it, or something else in its place.
    private static func write(_ bytes: [UInt8], to file: URL, _ root: URL, _ random: inout SeededRandom) throws {
        if random.happens(2) { return try makeDirectory(file) }
        guard random.happens(10) else { return try Data(bytes).write(to: file) }
        let target = root.appending(path: "dotfiles-\(random.next())")
        if random.happens(90) { try Data(bytes).write(to: target) }
        try FileManager.default.createSymbolicLink(atPath: file.path, withDestinationPath: target.path)
    }

    private static func makeDirectory(_ directory: URL) throws {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }
}
