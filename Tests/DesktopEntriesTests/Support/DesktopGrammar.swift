// SPDX-License-Identifier: Apache-2.0

import BatonTesting
@testable import DesktopEntries

/// Generates desktop entries and lists of default apps, with all kinds of errors.
struct DesktopGrammar {
    var random: SeededRandom

    /// Values with characters that other parsers take for line ends or for parts of characters.
    private static let oddTexts = [
        "Reads\u{2028}Exec=/bin/other", "x\u{85}Hidden=true", "a\u{B}Hidden=true", "a\u{C}Type=Link", "\u{301}App",
        "a\\nb", "a\\sb", "c\\\\d", "bad\\qescape", "ends\\", " spaces ", "tab\tbed", "a;b", "é", "=\u{301}x", "[x]",
        "#y",
    ]
    private static let words = [
        "args", "args", "args", "args one", "\"args\" 'one two'", "args \\\"x", "args 'it''s' \"a \\\"b\\\" \\$c \\x\"",
        "args %f end", "args --file=%u", "args \"%c\" %c", "args %i", "args 100%", "args 100%% %w%m", "args %k",
        "args a#b # gone", "args '#'", "args #", "args \"open", "args open'", "args back\\\\\\\\", "args\ttab",
        "args \"\" ''",
        "args My\\\\ File", "env A=1 args", "A=1 args", "gone", "/nowhere/gone", "", " ", "%U", "'args'x", "no-mode",
        "folder",
        "args \\n two", "args \u{2028}é", "args \\;a", "'",
    ]

    // MARK: - Entries

    /// Returns an app's entry.
    mutating func entry() -> [UInt8] {
        var bytes = file(groups: entryGroups())
        // GLib's handling of unknown escapes in a program's name depends on its version.
        while Self.hasBadProgram(bytes) { bytes = file(groups: entryGroups()) }
        return bytes
    }

    private static func hasBadProgram(_ bytes: [UInt8]) -> Bool {
        bytes.split(separator: UInt8(ascii: "\n")).contains { line in
            guard ["Exec", "TryExec", "Path"].contains(where: { line.starts(with: $0.utf8) }) else { return false }
            return !KeyFileValue(line, isList: false).isValid
        }
    }

    private mutating func entryGroups() -> [(name: String, lines: [String])] {
        var lines = [
            "Type=" + odd("Application", ["Application ", "Link", "", "application"], 4),
            "Exec=" + random.one(of: Self.words),
        ]
        if random.happens(95) { lines.append("Name=" + text("App")) }
        for key in ["Name[de]", "Name[de_AT]", "Name[sr@latin]", "Name[de.UTF-8]", "Name[C]", "Icon[de]"]
        where random.happens(15) { lines.append(key + "=" + text("Name \(key)")) }
        if random.happens(40) {
            lines.append(
                "Icon=" + odd("reader", ["reader.png", "reader.svg", "r.xpm", "/a/b.png", "r.jpg", ".png"], 60))
        }
        if random.happens(40) { lines.append("Comment=" + text("what it is")) }
        if random.happens(15) {
            lines.append("TryExec=" + random.one(of: ["args", "gone", "/nowhere/gone", "", "no-mode", "folder"]))
        }
        if random.happens(12) {
            lines.append("Hidden=" + random.one(of: ["true", "false", "True", "1", "true ", "0", "yes"]))
        }
        if random.happens(12) { lines.append("Terminal=" + random.one(of: ["true", "false", "1", " true"])) }
        if random.happens(12) { lines.append("DBusActivatable=" + random.one(of: ["true", "false"])) }
        if random.happens(8) { lines.append("Path=" + random.one(of: ["/tmp", "/nowhere", ""])) }
        if random.happens(8) {
            lines.append(random.one(of: ["NoDisplay=true", "OnlyShowIn=KDE;", "NotShowIn=GNOME;"]))
        }
        if random.happens(4) { lines.append("Encoding=" + random.one(of: ["UTF-8", "utf-8", "UTF-8 ", "ISO-8859-1"])) }
        if random.happens(15) { lines.append(lines[Int.random(in: 0..<lines.count, using: &random)]) }
        if random.happens(10) { lines.append("Exec=" + random.one(of: Self.words)) }
        if random.happens(5) { lines.removeFirst() }
        lines.shuffle(using: &random)
        var groups = [(odd("Desktop Entry", ["Desktop entry", "Desktop Entry ", ""], 3), lines)]
        if random.happens(20) { groups.append(("Desktop Action x", ["Name=x", "Exec=gone", "Hidden=true"])) }
        if random.happens(15) {
            // The keys of the second group with this name count too.
            let split = Int.random(in: 0...lines.count, using: &random)
            groups[0].1 = Array(lines[..<split])
            groups.append(("Desktop Entry", Array(lines[split...])))
        }
        if random.happens(3) { groups.insert(("Other", ["a=b"]), at: 0) }
        return groups
    }

    private mutating func odd(_ usual: String, _ others: [String], _ percent: Int) -> String {
        random.happens(percent) ? random.one(of: others) : usual
    }

    private mutating func text(_ usual: String) -> String { odd(usual, Self.oddTexts, 25) }

    // MARK: - Lists

    /// Returns a list of the apps for types.
    ///
    /// - Parameter isCache: Whether it is a `mimeinfo.cache`.
    mutating func list(isCache: Bool) -> [UInt8] {
        var groups: [(String, [String])] = []
        let names = isCache ? ["MIME Cache"] : ["Default Applications", "Added Associations", "Removed Associations"]
        for _ in 0...Int.random(in: 0...3, using: &random) {
            groups.append(
                (odd(random.one(of: names), ["MIME Cache", "Removed Associations", "Other"], 10), associations()))
        }
        return file(groups: groups)
    }

    private mutating func associations() -> [String] {
        (0...Int.random(in: 0...4, using: &random)).map { _ in
            let apps = (0...Int.random(in: 0...3, using: &random)).map { _ in
                odd(
                    random.one(of: DesktopWorld.identifiers) + ".desktop",
                    ["gone.desktop", "a", "", " a.desktop", ".desktop", "a\\;b.desktop", "\\q.desktop"], 10)
            }
            let separator = random.happens(90) ? "=" : " = "
            return random.one(of: DesktopWorld.types) + separator + apps.joined(separator: ";")
                + (random.happens(50) ? ";" : "")
        }
    }

    // MARK: - Files

    /// Returns the bytes of a file: its lines, some with errors.
    private mutating func file(groups: [(name: String, lines: [String])]) -> [UInt8] {
        let hasReturns = random.happens(8)
        var bytes: [UInt8] = []
        func end(_ line: [UInt8]) -> [UInt8] { line + Array(hasReturns ? "\r\n".utf8 : "\n".utf8) }
        if random.happens(2) { bytes += [0xEF, 0xBB, 0xBF] }
        if random.happens(10) { bytes += end(Array("#!/usr/bin/env xdg-open".utf8)) }
        for group in groups {
            bytes += end(Array((odd("", [" "], 3) + "[\(group.name)]" + odd("", [" ", "\t", "x", "\u{301}"], 5)).utf8))
            for line in group.lines {
                bytes += end(spoilt(line))
                if random.happens(3) {
                    bytes += end(Array(random.one(of: ["", "# note", "  ", "\t# note", "\r"]).utf8))
                }
                if random.happens(1) {
                    bytes += end(Array(random.one(of: ["junk", "=x", "[", "]", "a[b=c", "k[é]=v", "k[]=v"]).utf8))
                }
            }
        }
        if random.happens(10) { bytes.removeLast() }
        if random.happens(3) { bytes.append(0) }
        return bytes
    }

    /// Returns a line, sometimes with a wrong byte.
    private mutating func spoilt(_ line: String) -> [UInt8] {
        var bytes = Array(line.utf8)
        guard random.happens(6) else { return bytes }
        let place = Int.random(in: 0...bytes.count, using: &random)
        switch random.one(of: [0, 1, 2]) {
        case 0: bytes.insert(contentsOf: random.one(of: [[0xFC], [0xC3], [0xFF, 0xFE], [0xC2, 0x85]]), at: place)
        case 1: bytes.insert(random.one(of: [0x00, 0x0D, 0x09, 0x0B, 0x0C, 0x20]), at: place)
        default:
            bytes.insert(
                random.one(of: [UInt8(ascii: "="), UInt8(ascii: ";"), UInt8(ascii: "["), UInt8(ascii: "#")]), at: place)
        }
        return bytes
    }
}
