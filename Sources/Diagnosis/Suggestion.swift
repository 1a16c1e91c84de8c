// SPDX-License-Identifier: Apache-2.0

/// What the argument parser takes a word for that it does not know.
public enum Suggestion {
    /// Takes out of a message what nobody can have meant: an option that does not have most letters
    /// of the one that was typed.
    ///
    /// - Parameter message: The argument parser's, such as `Unknown option '--nope'. Did you mean
    ///   '--tcp'?`
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
