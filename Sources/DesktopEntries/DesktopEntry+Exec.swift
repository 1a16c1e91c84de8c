// SPDX-License-Identifier: Apache-2.0

extension DesktopEntry {
    /// The program and its arguments, as `Exec` has them.
    ///
    /// Source: Desktop Entry Specification 1.5, "The Exec key". Field codes of files and URLs give
    /// nothing, for none is opened; an unknown one makes the line invalid.
    ///
    /// - Returns: Nil when there is no line, it is not valid, or it names no program.
    public var arguments: [String]? {
        guard let exec, let words = Self.words(exec) else { return nil }
        var arguments: [String] = []
        for word in words {
            guard let expanded = expand(word) else { return nil }
            arguments += expanded
        }
        guard let program = arguments.first, !program.isEmpty, !program.contains("=") else { return nil }
        return arguments
    }

    private struct Word {
        var text = ""
        var isQuoted = false
    }

    /// What spaces separate and double quotes hold together; in quotes `\` takes away the meaning
    /// of `" ` $ \`.
    private static func words(_ line: String) -> [Word]? {
        var words: [Word] = []
        var word: Word?
        var isInQuotes = false
        var isEscaped = false
        for character in line {
            if isEscaped {
                word?.text.append(character)
                isEscaped = false
            } else if isInQuotes {
                switch character {
                case "\\": isEscaped = true
                case "\"": isInQuotes = false
                default: word?.text.append(character)
                }
            } else if character == "\"" {
                word = word ?? Word()
                word?.isQuoted = true
                isInQuotes = true
            } else if character == " " || character == "\t" {
                if let word { words.append(word) }
                word = nil
            } else {
                word = word ?? Word()
                word?.text.append(character)
            }
        }
        guard !isInQuotes, !isEscaped else { return nil }
        return words + (word.map { [$0] } ?? [])
    }

    /// A word with its field codes put in; nil for a code that there is not.
    private func expand(_ word: Word) -> [String]? {
        if word.text == "%i", !word.isQuoted { return icon.map { ["--icon", $0] } ?? [] }
        var result = ""
        var isCode = false
        var hadCode = false
        for character in word.text {
            guard isCode else {
                if character == "%" { isCode = true } else { result.append(character) }
                continue
            }
            isCode = false
            hadCode = true
            switch character {
            case "%": result.append("%")
            case "c": result += name
            case "f", "F", "u", "U", "d", "D", "n", "N", "v", "m", "i", "k": break
            default: return nil
            }
        }
        guard !isCode else { return nil }
        return result.isEmpty && hadCode && !word.isQuoted ? [] : [result]
    }
}
