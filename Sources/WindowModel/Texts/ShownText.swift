// SPDX-License-Identifier: Apache-2.0

import Wording

/// Makes texts of other laptops and apps safe to show.
enum ShownText {
    /// The maximum length of a title, in characters.
    static let longestTitle = 80
    /// The maximum length of a reason, in characters.
    static let longestReason = 240

    /// Returns one short line of a text. The line has no invisible characters, and none that change
    /// the direction of writing. Its own direction does not affect the text around it.
    static func line(_ text: String, limit: Int) -> String { ForeignText.line(text, limit: limit) }

    static func name(_ text: String) -> String { line(text, limit: ForeignText.longestName) }
    static func title(_ text: String) -> String { line(text, limit: longestTitle) }
    static func reason(_ text: String) -> String { line(text, limit: longestReason) }

    /// Returns a whole sentence in the session's language. It may begin with a name of another
    /// direction.
    static func sentence(_ text: String) -> String {
        ForeignText.sentence(text.count <= longestReason ? text : text.prefix(longestReason - 1) + "…")
    }
}
