// SPDX-License-Identifier: Apache-2.0

/// Filters the suggestions that the argument parser makes for a misspelt word.
public enum Suggestion {
    /// Removes a suggestion from a message if the user cannot have meant it.
    ///
    /// A suggestion is removed if it shares too few letters with the typed option.
    ///
    /// - Parameter message: The argument parser's message, such as
    ///   `Unknown option '--nope'. Did you mean '--tcp'?`
    public static func sensible(in message: String) -> String {
        guard let found = message.firstMatch(of: /'-*([^']+)'\. Did you mean '-*([^']+)'\?/),
            !isLikely(typed: found.1, meant: found.2)
        else { return message }
        return String(message[..<found.1.endIndex]) + "'" + message[found.range.upperBound...]
    }

    private static func isLikely(typed: Substring, meant: Substring) -> Bool {
        var rest = Array(meant)
        for letter in typed { rest.firstIndex(of: letter).map { _ = rest.remove(at: $0) } }
        let common = meant.count - rest.count
        return common * 2 > max(typed.count, meant.count)
    }
}
