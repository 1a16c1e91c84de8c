// SPDX-License-Identifier: Apache-2.0

import ActivityModel

/// A key file, as GLib reads it: groups of lines `key=value`.
///
/// Desktop entries and the lists of default apps have this format. Source: GLib's gkeyfile.c. The
/// Desktop Entry Specification leaves much open, and people test their files with the desktop's
/// menus, which use GLib. So this type follows GLib, even where the specification allows something
/// else.
package struct KeyFile {
    private typealias Bytes = ArraySlice<UInt8>

    private struct Group {
        /// The keys, each once, in the order of the file.
        var keys: [[UInt8]] = []
        /// The value of each key. If a key occurs twice, the last value is used.
        var values: [[UInt8]: Bytes] = [:]
    }

    /// The groups by name. Groups with the same name are merged.
    private var groups: [[UInt8]: Group] = [:]
    private var firstGroup: [UInt8]?
    /// All keys with their values, including values that a later line replaces.
    private var pairs: [(key: [UInt8], value: Bytes)] = []

    /// Reads a file.
    ///
    /// - Returns: Nil if a line is neither a group, nor a pair in a group, nor a comment, because
    ///   GLib then rejects the whole file. Bytes that are not UTF-8 are allowed.
    package init?(_ bytes: [UInt8]) {
        var rest = bytes[...]
        var group: [UInt8]?
        while !rest.isEmpty {
            let end = rest.firstIndex(of: UInt8(ascii: "\n"))
            var line = rest[..<(end ?? rest.endIndex)]
            rest = end.map { rest[($0 + 1)...] } ?? []
            if end != nil, line.last == UInt8(ascii: "\r") { line = line.dropLast() }
            line = line.drop(while: Self.isSpace)
            switch KeyFileLine(line) {
            case .comment: break
            case .group(let name):
                group = name
                firstGroup = firstGroup ?? name
                groups[name, default: Group()].keys += []
            case .pair(let key, let value):
                guard let group else { return nil }
                if group == firstGroup, key == Array("Encoding".utf8), !Self.isUTF8(value) { return nil }
                add(key, value.prefix { $0 != 0 }, to: group)
            case nil: return nil
            }
        }
    }

    private mutating func add(_ key: [UInt8], _ value: Bytes, to group: [UInt8]) {
        pairs.append((key, value))
        if groups[group]?.values.updateValue(value, forKey: key) == nil { groups[group]?.keys.append(key) }
    }

    private static func isUTF8(_ encoding: Bytes) -> Bool {
        String(decoding: encoding, as: UTF8.self).lowercased() == "utf-8"
    }

    /// Returns whether a byte is white space, like `g_ascii_isspace`.
    static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0C, 0x0D].contains(byte) }
}

// MARK: - Contents

extension KeyFile {
    /// The name of the first group, or nil if there is none or its name is not UTF-8.
    var startGroup: String? { firstGroup.flatMap { String(validating: $0, as: UTF8.self) } }

    /// Returns the keys of a group, each once, in the order of the file.
    ///
    /// Keys that are not UTF-8 are skipped.
    func keys(in group: String) -> [String] {
        (groups[Array(group.utf8)]?.keys ?? []).compactMap { String(validating: $0, as: UTF8.self) }
    }

    /// Returns an unescaped text, or nil if the key is missing or the value is not UTF-8.
    package func string(_ key: String, in group: String) -> String? {
        guard let value = value(key, group), String(validating: value, as: UTF8.self) != nil else { return nil }
        return KeyFileValue(value, isList: false).texts.first ?? ""
    }

    /// Returns the text for the first language that has a text. If no language has a text, returns
    /// the text without a language.
    ///
    /// - Parameter languages: The languages in order of preference, as in `LANG`: `de_AT.UTF-8`.
    func string(_ key: String, in group: String, languages: [String]) -> String? {
        let names = languages.flatMap(Self.localeVariants) + ["C"]
        return names.lazy.compactMap { string("\(key)[\($0)]", in: group) }.first ?? string(key, in: group)
    }

    /// Returns whether a value is `true` or `1`.
    func isTrue(_ key: String, in group: String) -> Bool {
        guard let value = value(key, group) else { return false }
        let last = value.lastIndex { !Self.isSpace($0) }
        return ["true", "1"].contains { last.map { value[...$0] }?.elementsEqual($0.utf8) == true }
    }

    /// Returns the elements of a list, which a `;` separates unless it is escaped as `\;`.
    ///
    /// Returns nil if the key is missing, or the value is not UTF-8 or has an unknown escape.
    func list(_ key: String, in group: String) -> [String]? {
        guard let value = value(key, group), String(validating: value, as: UTF8.self) != nil else { return nil }
        let list = KeyFileValue(value, isList: true)
        return list.isValid ? list.texts : nil
    }

    /// Returns the elements of a list in one of Baton's own keys, without surrounding spaces.
    ///
    /// Only elements that are empty or not UTF-8 are skipped.
    func elements(_ key: String, in group: String) -> [String] {
        KeyFileValue(value(key, group) ?? [], isList: true).texts.map(\.trimmed).filter { !$0.isEmpty }
    }

    /// Returns all values of a key in every group and language, including values that a later line
    /// replaces.
    func valuesAnywhere(_ key: String) -> [String] {
        let name = Array(key.utf8)
        return pairs.filter { $0.key.prefix { $0 != UInt8(ascii: "[") }.elementsEqual(name) }
            .map { String(decoding: $0.value, as: UTF8.self) }
    }

    private func value(_ key: String, _ group: String) -> Bytes? { groups[Array(group.utf8)]?.values[Array(key.utf8)] }

    /// Returns the variants of a locale `lang_COUNTRY.ENCODING@MODIFIER`, the best first.
    ///
    /// This is the order of `g_get_locale_variants`.
    private static func localeVariants(_ locale: String) -> [String] {
        let (base, modifier) = split(locale, at: "@")
        let (place, encoding) = split(base, at: ".")
        let (language, country) = split(place, at: "_")
        return [modifier, ""].flatMap { modifier in
            [country, ""].flatMap { country in [encoding, ""].map { language + country + $0 + modifier } }
        }.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// Returns the part before a separator, and the rest, which begins with the separator.
    private static func split(_ text: String, at separator: Unicode.Scalar) -> (String, String) {
        let scalars = text.unicodeScalars
        let index = scalars.firstIndex(of: separator) ?? scalars.endIndex
        return (String(scalars[..<index]), String(scalars[index...]))
    }
}
