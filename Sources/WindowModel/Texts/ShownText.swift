// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import Wording

/// Makes texts of other laptops and apps safe to show.
enum ShownText {
    /// The greatest length of a laptop's or an app's name, in characters.
    static let longestName = 63
    /// The greatest length of a title, in characters.
    static let longestTitle = 80
    /// The greatest length of a reason, in characters.
    static let longestReason = 240

    /// Returns one short line of a text. The line has no invisible characters, and none that change
    /// the direction of writing. Its own direction does not affect the text around it.
    static func line(_ text: String, limit: Int) -> String { line(text, limit: limit, opening: "\u{2068}") }

    private static func line(_ text: String, limit: Int, opening: String) -> String {
        // Do not even look at the rest of a text that is far too long.
        let visible = VisibleText.replacing(String(text.prefix(4 * limit))) { _ in " " }
        let words = visible.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let shown = words.count <= limit ? words : words.prefix(limit - 1) + "…"
        return isPlain(shown) ? shown : "\(opening)\(shown)\u{2069}"
    }

    /// Whether a text looks the same inside a text of any direction. A sign at an end of another
    /// one, as in `C++`, may change sides.
    private static func isPlain(_ text: String) -> Bool {
        guard let first = text.first, let last = text.last else { return true }
        return text.allSatisfy(\.isASCII) && (first.isLetter || first.isNumber)
            && (last.isLetter || last.isNumber || last == ".")
    }

    static func name(_ text: String) -> String { line(text, limit: longestName) }
    static func title(_ text: String) -> String { line(text, limit: longestTitle) }
    static func reason(_ text: String) -> String { line(text, limit: longestReason) }

    /// Returns a list, which says how many further things it leaves out.
    static func list(_ things: [String], more: Int) -> String {
        let list = JoinedText.list(things)
        guard more > 0 else { return list }
        return ntr("{things}, and {count} more", "{things}, and {count} more", more, ["things": list])
    }

    /// Returns a sentence in the session's language. It may begin with a name of another direction.
    static func sentence(_ text: String) -> String {
        line(text, limit: longestReason, opening: tr("ltr") == "rtl" ? "\u{2067}" : "\u{2068}")
    }
}
