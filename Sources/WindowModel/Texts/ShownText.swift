// SPDX-License-Identifier: Apache-2.0

import ActivityModel

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
    static func line(_ text: String, limit: Int) -> String {
        // Do not even look at the rest of a text that is far too long.
        let visible = VisibleText.replacing(String(text.prefix(4 * limit))) { _ in " " }
        let words = visible.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let shown = words.count <= limit ? words : words.prefix(limit - 1) + "…"
        return shown.allSatisfy(\.isASCII) ? shown : "\u{2068}\(shown)\u{2069}"
    }

    static func name(_ text: String) -> String { line(text, limit: longestName) }
    static func title(_ text: String) -> String { line(text, limit: longestTitle) }
    static func reason(_ text: String) -> String { line(text, limit: longestReason) }
}
