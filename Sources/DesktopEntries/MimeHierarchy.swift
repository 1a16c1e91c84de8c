// SPDX-License-Identifier: Apache-2.0

import Descriptors
import FoundationEssentials

/// Which MIME types are other names of a type, and which are more general: what opens any text
/// opens a program's source, too.
///
/// Source: Shared MIME-info Database 0.21, the files `aliases` and `subclasses`, which
/// update-mime-database writes beside the cache that GLib reads.
struct MimeHierarchy: Hashable, Sendable {
    /// A file's lines, in two words each.
    private static let largestFile = 1 << 20

    private var aliases: [String: String] = [:]
    private var parents: [String: [String]] = [:]

    /// A hierarchy in which each type stands alone.
    init() {}

    /// Reads what some directories `mime` say, the first that counts first.
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

    /// The type that a name stands for.
    func type(_ name: String) -> String { aliases[name] ?? name }

    /// A type, and all that are more general, the nearest first.
    func typeAndParents(_ name: String) -> [String] {
        var types = [type(name)]
        var index = 0
        while index < types.count {
            for parent in [type(types[index])] + (parents[type(types[index])] ?? []) where !types.contains(parent) {
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
