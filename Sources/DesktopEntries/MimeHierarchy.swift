// SPDX-License-Identifier: Apache-2.0

import Descriptors
import FoundationEssentials

/// The aliases of MIME types, and the more general types of each.
///
/// For example, an app for plain text can also open source code. Source: Shared MIME-info Database
/// 0.21. update-mime-database writes the files `aliases` and `subclasses` beside the cache that
/// GLib reads.
struct MimeHierarchy: Hashable, Sendable {
    /// The maximum size of a file, in bytes. Its lines have two words each.
    private static let largestFile = 1 << 20

    private var aliases: [String: String] = [:]
    private var parents: [String: [String]] = [:]

    init() {}

    /// Reads the files in directories named `mime`, in order of precedence.
    init(directories: [URL]) {
        for directory in directories {
            for (alias, type) in Self.pairs(in: directory.appending(component: "aliases")) {
                aliases[alias] = aliases[alias] ?? type
            }
            for (type, parent) in Self.pairs(in: directory.appending(component: "subclasses")) {
                parents[type, default: []].append(parent)
            }
        }
    }

    /// Returns the type that a name is an alias of, or the name itself.
    func type(_ name: String) -> String { aliases[name] ?? name }

    /// Returns a type and all more general types, the closest first.
    func typeAndParents(_ name: String) -> [String] {
        var types = [type(name)]
        // Any app with MIME types of its own may make this list long.
        var known = Set(types)
        var index = 0
        while index < types.count {
            for parent in [type(types[index])] + (parents[type(types[index])] ?? [])
            where known.insert(parent).inserted {
                types.append(parent)
            }
            index += 1
        }
        return types
    }

    private static func pairs(in file: URL) -> [(String, String)] {
        let bytes = (try? FileContents.read(file.path, limit: largestFile)) ?? []
        return bytes.split(separator: UInt8(ascii: "\n")).prefix(MimeDefaults.maximumTypes).compactMap { line in
            let words = line.split(separator: UInt8(ascii: " "), maxSplits: 1)
                .compactMap { String(validating: $0, as: UTF8.self) }
            return line.first != UInt8(ascii: "#") && words.count == 2 ? (words[0], words[1]) : nil
        }
    }
}
