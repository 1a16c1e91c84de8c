// SPDX-License-Identifier: Apache-2.0

import ActivityModel

/// Makes texts of other laptops and programs safe to show on a graphical surface.
///
/// A name that is written from right to left would move the words of the sentence around it. In a
/// sentence such a name stands between two isolates, which keep its order to itself. Terminals do
/// not know isolates, so texts for terminals have none.
///
/// Source: Unicode Standard Annex 9, 2.4 "Explicit Directional Isolates".
public enum ForeignText {
    /// The maximum length of the name of a laptop or an app, in characters.
    public static let longestName = 63

    /// FIRST STRONG ISOLATE: the text up to ``end`` has the direction of its own letters.
    private static let start: Unicode.Scalar = "\u{2068}"
    /// POP DIRECTIONAL ISOLATE.
    private static let end: Unicode.Scalar = "\u{2069}"
    private static let leftToRight = "\u{2066}"
    private static let rightToLeft = "\u{2067}"

    /// Returns a text for a placeholder of a sentence. The text has no line ends, no invisible
    /// characters, and none that change the direction of writing. The text's own direction does not
    /// affect the sentence.
    public static func isolated(_ text: String) -> String {
        isolated(text, inRightToLeft: SessionLanguage.isRightToLeft)
    }

    static func isolated(_ text: String, inRightToLeft: Bool) -> String {
        let line = VisibleText.replacing(text) { _ in " " }
        let needsIsolates = inRightToLeft ? !line.isEmpty : hasRightToLeft(line)
        return needsIsolates ? "\(start)\(line)\(end)" : line
    }

    /// Returns a short text for a placeholder of a sentence: ``isolated(_:)``, with single spaces.
    ///
    /// - Parameter limit: The maximum length in characters.
    public static func line(_ text: String, limit: Int) -> String {
        // Do not even look at the rest of a text that is far too long.
        let visible = VisibleText.replacing(String(text.prefix(4 * limit))) { _ in " " }
        let words = visible.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return isolated(words.count <= limit ? words : words.prefix(limit - 1) + "…")
    }

    /// Returns a whole sentence in the session's language, which stands alone. It has the direction
    /// of that language, even if it begins with a name of another direction.
    public static func sentence(_ text: String) -> String {
        sentence(text, inRightToLeft: SessionLanguage.isRightToLeft)
    }

    static func sentence(_ text: String, inRightToLeft: Bool) -> String {
        let line = visible(text, insteadOfOthers: " ")
        guard inRightToLeft || hasRightToLeft(line) else { return line }
        return "\(inRightToLeft ? rightToLeft : leftToRight)\(line)\(end)"
    }

    /// Returns a text without invisible characters and without characters that change the
    /// direction of writing, apart from the isolates around names.
    public static func visible(_ text: String, insteadOfOthers: String) -> String {
        VisibleText.replacing(text) { $0 == start || $0 == end ? String($0) : insteadOfOthers }
    }

    /// Returns a text, escaped for a program that reads markup. The program then shows the text
    /// unchanged.
    public static func inMarkup(_ text: String) -> String {
        text.replacingScalars(["&": "&amp;", "<": "&lt;", ">": "&gt;"])
    }

    /// The blocks of scripts that are written from right to left.
    ///
    /// Source: Unicode 16, DerivedBidiClass.txt: the values R, AL and AN, also of the characters
    /// that are not assigned yet.
    private static let blocks: [ClosedRange<UInt32>] = [
        0x590...0x8FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFF, 0x10800...0x10FFF, 0x1E800...0x1EFFF,
    ]

    private static func hasRightToLeft(_ text: String) -> Bool {
        text.unicodeScalars.contains { scalar in
            scalar.value >= 0x590 && blocks.contains { $0.contains(scalar.value) }
        }
    }
}
