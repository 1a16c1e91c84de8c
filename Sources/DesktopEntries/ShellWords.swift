// SPDX-License-Identifier: Apache-2.0

/// Splits a command line into words, as GLib does (gshell.c, `g_shell_parse_argv`).
///
/// GLib accepts more than the Desktop Entry Specification allows in `Exec`: single quotes, and
/// backslashes outside of quotes. Desktops' menus accept them too.
struct ShellWords {
    private enum State: Equatable {
        case plain
        /// After a backslash outside of quotes.
        case escaped
        /// After the `#` of a comment. For GLib, a line that ends here has no words.
        case commentBegins
        case comment
        case quoted(UInt8)
    }

    private var words: [[UInt8]] = []
    private var word: [UInt8]?
    private var state = State.plain

    /// Returns the words of a line.
    ///
    /// - Returns: Nil if a quote is not closed, the line ends with a backslash or `#`, or there is
    ///   no word.
    static func split(_ line: String) -> [String]? {
        var parser = ShellWords()
        var previous: UInt8 = 0
        /// Whether an odd number of backslashes precedes the byte.
        var isEscaped = false
        for byte in line.utf8 {
            parser.take(byte, after: previous, isEscaped: isEscaped)
            isEscaped = byte == backslash && !isEscaped
            previous = byte
        }
        guard parser.state == .plain || parser.state == .comment else { return nil }
        parser.endWord()
        return parser.words.isEmpty ? nil : parser.words.map { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns a text quoted as one word.
    static func quote(_ text: String) -> String {
        let apostrophe = Unicode.Scalar(single)
        return "'" + text.unicodeScalars.map { $0 == apostrophe ? "'\\''" : String($0) }.joined() + "'"
    }

    private static let newline = UInt8(ascii: "\n"), backslash = UInt8(ascii: "\\")
    private static let single = UInt8(ascii: "'"), double = UInt8(ascii: "\"")

    private mutating func take(_ byte: UInt8, after previous: UInt8, isEscaped: Bool) {
        switch state {
        case .plain: takePlain(byte, after: previous)
        case .escaped:
            if byte != Self.newline { append(byte) }
            state = .plain
        case .commentBegins, .comment: state = byte == Self.newline ? .plain : .comment
        case .quoted(Self.double): takeQuoted(byte, isEscaped: isEscaped)
        case .quoted:
            if byte == Self.single { state = .plain } else { append(byte) }
        }
    }

    private mutating func takePlain(_ byte: UInt8, after previous: UInt8) {
        switch byte {
        case Self.newline, UInt8(ascii: " "), UInt8(ascii: "\t"): endWord()
        case Self.single, Self.double:
            word = word ?? []
            state = .quoted(byte)
        case Self.backslash: state = .escaped
        case UInt8(ascii: "#") where [0, UInt8(ascii: " "), Self.newline].contains(previous): state = .commentBegins
        default: append(byte)
        }
    }

    /// Takes a byte in double quotes.
    ///
    /// In double quotes, a backslash only escapes `" \ ` $` and the end of a line.
    private mutating func takeQuoted(_ byte: UInt8, isEscaped: Bool) {
        if isEscaped {
            let isPlain = [Self.double, Self.backslash, UInt8(ascii: "`"), UInt8(ascii: "$"), Self.newline].contains(
                byte)
            if !isPlain { append(Self.backslash) }
            append(byte)
        } else if byte == Self.double {
            state = .plain
        } else if byte != Self.backslash {
            append(byte)
        }
    }

    private mutating func append(_ byte: UInt8) {
        if word == nil { word = [] }
        // Append in place. To copy the word for each byte would take minutes for a long line.
        word?.append(byte)
    }

    private mutating func endWord() {
        if let word { words.append(word) }
        word = nil
    }
}
