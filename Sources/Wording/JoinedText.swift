// SPDX-License-Identifier: Apache-2.0

/// Joins whole texts. Some languages put no space between sentences, or another comma into lists.
public enum JoinedText {
    /// Returns the sentences that are not empty, one after the other.
    public static func sentences(_ sentences: String..., in language: Language = .session) -> String {
        // Translators: Two whole sentences, one after the other.
        joined(sentences) { translated(mark("{sentence} {next}"), ["sentence": $0, "next": $1], in: language) }
    }

    /// Returns a list, such as `desk, sofa`.
    public static func list(_ items: [String], in language: Language = .session) -> String {
        // Translators: Two things in a list. The first may be a list itself.
        joined(items) { translated(mark("{things}, {next}"), ["things": $0, "next": $1], in: language) }
    }

    private static func joined(_ texts: [String], _ pair: (String, String) -> String) -> String {
        texts.filter { !$0.isEmpty }.reduce("") { $0.isEmpty ? $1 : pair($0, $1) }
    }
}
