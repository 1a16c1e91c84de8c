// SPDX-License-Identifier: Apache-2.0

/// Decides which characters of somebody else's text may appear on a screen, in a log or in a name.
///
/// All of Baton uses this one list. The characters are listed here and not taken from Unicode's
/// tables, because these tables grow. If one device accepted a character that another device
/// rejects, their circle would split. Source: `Documentation/Protocol/Circle.md`, "Device".
package enum VisibleText {
    /// The characters that are not visible text.
    ///
    /// These are controls, format characters (including tags and overrides of the text direction),
    /// line separators, private-use characters and noncharacters. Of these characters, only the
    /// ``joiners`` may appear in a text for people.
    package static let refused: [ClosedRange<UInt32>] = [
        0x00...0x1F, 0x7F...0x9F, 0xAD...0xAD, 0x600...0x605, 0x61C...0x61C, 0x6DD...0x6DD, 0x70F...0x70F,
        0x890...0x891, 0x8E2...0x8E2, 0x180E...0x180E, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F,
        0xE000...0xF8FF, 0xFDD0...0xFDEF, 0xFEFF...0xFEFF, 0xFFF0...0xFFFB, 0xFFFE...0xFFFF, 0x110BD...0x110BD,
        0x110CD...0x110CD,
        0x13430...0x1343F, 0x1BCA0...0x1BCA3, 0x1D173...0x1D17A, 0xE0000...0xE00FF, 0xE01F0...0xE0FFF,
        0xF0000...0x10FFFF,
    ]

    /// Spaces and fillers. A text of only these characters is invisible.
    private static let blank: [ClosedRange<UInt32>] = [
        0x20...0x20, 0xA0...0xA0, 0x34F...0x34F, 0x115F...0x1160, 0x1680...0x1680, 0x17B4...0x17B5, 0x180B...0x180F,
        0x2000...0x200A, 0x202F...0x202F, 0x205F...0x205F, 0x3000...0x3000, 0x3164...0x3164, 0xFFA0...0xFFA0,
    ]

    /// Variation selectors.
    ///
    /// A variation selector changes the look of the character before it, and is invisible on its
    /// own.
    private static let selectors: [ClosedRange<UInt32>] = [0xFE00...0xFE0F, 0xE0100...0xE01EF]

    /// U+200C and U+200D.
    ///
    /// Scripts such as Arabic and Sinhala need them, and so do emoji that consist of several
    /// characters.
    private static let joiners: ClosedRange<UInt32> = 0x200C...0x200D

    /// Returns whether a character is safe to show.
    ///
    /// A safe character does not change the direction of the text, end a line or control a
    /// terminal.
    package static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        // Shortcut for most characters.
        if (0x20...0x7E).contains(scalar.value) { return true }
        return scalar.value & 0xFFFE != 0xFFFE && !refused.contains { $0.contains(scalar.value) }
    }

    /// Returns whether all characters of a text are visible.
    ///
    /// Activity types and teams must be visible. Otherwise two types could look equal to people,
    /// and differ for programs.
    package static func isVisible(_ text: String) -> Bool { text.unicodeScalars.allSatisfy(isVisible) }

    /// Returns whether a text is safe to show to people, for names and titles.
    ///
    /// All its characters must be visible, except joiners. A joiner must stand between two visible
    /// characters.
    package static func isReadable(_ text: String) -> Bool {
        isVisible(text) || text.unicodeScalars.indices.allSatisfy { isReadable(at: $0, of: text.unicodeScalars) }
    }

    /// Returns whether a text looks empty on a screen.
    package static func isBlank(_ text: String) -> Bool {
        !text.unicodeScalars.contains { isVisible($0) && !isOne($0, of: blank) && !isOne($0, of: selectors) }
    }

    /// Returns the characters of a text that a reader sees, without spaces, fillers and selectors.
    package static func shown(_ text: String) -> String {
        func shows(_ scalar: Unicode.Scalar) -> Bool {
            isVisible(scalar) && !isOne(scalar, of: blank) && !isOne(scalar, of: selectors)
                && scalar.value != brailleBlank
        }
        return String(String.UnicodeScalarView(text.unicodeScalars.filter(shows)))
    }

    /// The Braille pattern without dots.
    ///
    /// ``isBlank(_:)`` does not count it as blank, because the lists above must not change.
    private static let brailleBlank: UInt32 = 0x2800

    private static func isReadable(at index: String.Index, of text: String.UnicodeScalarView) -> Bool {
        if isVisible(text[index]) { return true }
        let next = text.index(after: index)
        guard joiners.contains(text[index].value), index > text.startIndex, next < text.endIndex else { return false }
        return [text[text.index(before: index)], text[next]].allSatisfy { isVisible($0) && !isOne($0, of: blank) }
    }

    private static func isOne(_ scalar: Unicode.Scalar, of ranges: [ClosedRange<UInt32>]) -> Bool {
        ranges.contains { $0.contains(scalar.value) }
    }

    /// Returns a text as one line for a terminal, a log or an error.
    ///
    /// Characters that are not readable are written like `\u{1b}`, so that a terminal does not obey
    /// them. Text that was escaped before stays the same.
    package static func escaped(_ text: String) -> String {
        replacing(text) { "\\u{" + String($0.value, radix: 16) + "}" }
    }

    /// Returns a text with each unreadable character replaced.
    ///
    /// - Parameters:
    ///   - text: The text, which is returned unchanged if all its characters are visible.
    ///   - replacement: Returns the replacement for a character.
    package static func replacing(_ text: String, with replacement: (Unicode.Scalar) -> String) -> String {
        guard !isVisible(text) else { return text }
        var result = String.UnicodeScalarView()
        for index in text.unicodeScalars.indices {
            let scalar = text.unicodeScalars[index]
            if isReadable(at: index, of: text.unicodeScalars) {
                result.append(scalar)
            } else {
                for stand in replacement(scalar).unicodeScalars { result.append(stand) }
            }
        }
        return String(result)
    }
}
