// SPDX-License-Identifier: Apache-2.0

public import Diagnosis

/// Where a person reads a text.
public enum Surface: Sendable {
    /// A terminal, whose texts may name a command.
    case terminal
    /// A window, a notification or a panel, whose texts name a button or a place.
    case window
}

/// The language of a text.
public enum Language: Sendable {
    /// The session's language: ``SessionLanguage``.
    case session
    /// English, for logs and JSON.
    case english
}

/// The words for a reason.
///
/// The texts have named places, and are marked for translation.
struct Words: Sendable {
    /// A text, or the two English forms of a text about a number.
    struct Text: Sendable, ExpressibleByStringLiteral {
        /// The text, or the form for every number but 1.
        let text: String
        /// The form for 1, and the place whose number chooses the form.
        let singular: (text: String, place: String)?

        init(stringLiteral text: String) { self.init(text) }

        init(_ text: String, one: (text: String, place: String)? = nil) {
            self.text = text
            singular = one
        }
    }

    /// What happened: a whole sentence.
    let sentence: Text
    /// What to do, in a terminal.
    let terminal: Text
    /// What to do, in a window: a button or a place, never a command.
    let window: Text

    init(_ sentence: String, terminal: String? = nil, window: String) {
        self.init(Text(sentence), terminal: terminal, window: window)
    }

    /// - Parameter terminal: The advice in a terminal, or `nil` for the reason's command.
    init(_ sentence: Text, terminal: String? = nil, window: String) {
        self.sentence = sentence
        self.terminal = Text(terminal ?? mark("Run \"{command}\"."))
        self.window = Text(window)
    }

    /// Creates words whose advice is the same everywhere.
    init(_ sentence: String, _ advice: String) {
        self.init(sentence, terminal: advice, window: advice)
    }

    var texts: [Text] { [sentence, terminal, window] }

    func advice(on surface: Surface) -> Text {
        switch surface {
        case .terminal: terminal
        case .window: window
        }
    }
}

extension Words.Text {
    /// The names of the places.
    var places: Set<String> { Set(Wording.places(of: text)) }

    /// Returns the text with its values, or `nil` if one is missing.
    func filled(with values: [String: Reason.Value], in language: Language) -> String? {
        guard places.allSatisfy({ values[$0] != nil }) else { return nil }
        let shown = values.mapValues { $0.text(in: language) }
        guard let singular, case .count(let count)? = values[singular.place] else {
            return translated(text, shown, in: language)
        }
        return translated(one: singular.text, many: text, count, shown, in: language)
    }
}

extension Reason {
    /// Returns the reason in words: what happened, and what to do.
    ///
    /// - Parameter command: A command that helps, for the advice in a terminal.
    /// - Returns: The words, or `nil` if this version does not know the code, or lacks values for
    ///   it.
    public func text(on surface: Surface, in language: Language = .session, command: String? = nil) -> String? {
        var values = values
        values["command"] = command.map(Value.text)
        for words in Self.words(of: code) {
            guard let sentence = words.sentence.filled(with: values, in: language) else { continue }
            let advice =
                words.advice(on: surface).filled(with: values, in: language)
                ?? words.window.filled(with: values, in: language)
            return [sentence, advice].compactMap(\.self).joined(separator: " ")
        }
        return nil
    }

    /// Returns the words for a code, the more specific ones first.
    static func words(of code: String) -> [Words] { FindingCode(rawValue: code)?.words ?? [] }
}

extension Finding {
    /// Returns the finding in words: what is wrong, and what to do. A finding of a newer version is
    /// in the words of its program.
    public func text(on surface: Surface, in language: Language = .session) -> String {
        reason.text(on: surface, in: language, command: command) ?? reported ?? code
    }
}
