// SPDX-License-Identifier: Apache-2.0

public import Diagnosis

/// A place where a person reads a text.
public enum Surface: Sendable {
    /// A terminal, whose texts may name a command.
    case terminal
    /// A panel or a window of another program, which gets the text over the bus. Its texts name a
    /// button or a place.
    case window
    /// A notification, or the state that panels show. Its texts are the same as for ``window``.
    case notification
    /// Baton's own window. Its texts do not tell the user to open it.
    case ownWindow

    /// Whether names in the texts are isolated (``ForeignText``). The program that gets a text over
    /// the bus may show it in a terminal.
    public var isolatesNames: Bool { self == .notification || self == .ownWindow }
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
/// The texts have named placeholders, and are marked for translation.
struct Words: Sendable {
    /// A text, or the two English forms of a text about a number.
    struct Text: Sendable, ExpressibleByStringLiteral {
        /// The text, or the form for every number but 1.
        let text: String
        /// The form for 1, and the placeholder whose number chooses the form.
        let singular: (text: String, place: String)?

        init(stringLiteral text: String) { self.init(text) }

        init(_ text: String, one: (text: String, place: String)? = nil) {
            self.text = text
            singular = one
        }
    }

    /// What happened: a whole sentence.
    let sentence: Text
    /// The advice in a terminal.
    let terminal: Text
    /// The advice in a window. It names a button or a place, never a command.
    let window: Text
    /// The advice in Baton's own window, if ``window`` says to open that window. If that window is
    /// not installed, the user gets the advice for a terminal.
    let ownWindow: Text?

    init(_ sentence: String, terminal: String? = nil, window: String, ownWindow: String? = nil) {
        self.init(Text(sentence), terminal: terminal, window: window, ownWindow: ownWindow)
    }

    /// - Parameter terminal: The advice in a terminal, or `nil` for the reason's command.
    init(_ sentence: Text, terminal: String? = nil, window: String, ownWindow: String? = nil) {
        self.sentence = sentence
        self.terminal = Text(terminal ?? mark("Run \"{command}\"."))
        self.window = Text(window)
        self.ownWindow = ownWindow.map { Text($0) }
    }

    /// Creates words whose advice is the same everywhere.
    init(_ sentence: String, _ advice: String) {
        self.init(sentence, terminal: advice, window: advice)
    }

    var texts: [Text] { [sentence, terminal, window] + [ownWindow].compactMap(\.self) }

    func advice(on surface: Surface, hasWindow: Bool) -> Text {
        switch surface {
        case .terminal: terminal
        case .window, .notification: ownWindow == nil || hasWindow ? window : terminal
        case .ownWindow: ownWindow ?? window
        }
    }
}

extension Words.Text {
    var places: Set<String> { Set(Wording.places(of: text)) }

    /// Returns the text with its values, or `nil` if one is missing.
    ///
    /// - Parameter isolating: Whether names are isolated (``ForeignText``).
    func filled(with values: [String: Reason.Value], in language: Language, isolating: Bool) -> String? {
        guard places.allSatisfy({ values[$0] != nil }) else { return nil }
        let needed = places.union(singular.map { Wording.places(of: $0.text) } ?? [])
        let shown = values.filter { needed.contains($0.key) }
            .reduce(into: [:]) { $0[$1.key] = $1.value.text(at: $1.key, in: language, isolating: isolating) }
        guard let singular, case .count(let count)? = values[singular.place] else {
            return translated(text, shown, in: language)
        }
        return translated(one: singular.text, many: text, count, shown, in: language)
    }
}

/// A reason in words.
public struct ReasonText: Hashable, Sendable {
    /// What happened: a whole sentence.
    public let sentence: String
    /// The advice, or an empty text.
    public let advice: String

    /// The sentence and the advice in one text.
    public let text: String

    init(sentence: String, advice: String, in language: Language) {
        (self.sentence, self.advice) = (sentence, advice)
        text = JoinedText.sentences(sentence, advice, in: language)
    }
}

extension Reason {
    /// Returns the reason in words: what happened, and what to do.
    ///
    /// - Parameter command: A command that helps, for the advice in a terminal.
    /// - Returns: The words, or `nil` if this version does not know the code, or lacks values for
    ///   it.
    public func text(on surface: Surface, in language: Language = .session, command: String? = nil) -> String? {
        inWords(on: surface, in: language, command: command)?.text
    }

    /// Returns the sentence and the advice of ``text(on:in:command:)`` as two texts.
    ///
    /// - Parameter hasWindow: Whether Baton's window is installed.
    func inWords(
        on surface: Surface, in language: Language, command: String?, hasWindow: Bool = BatonWindow.isInstalled
    ) -> ReasonText? {
        var values = values
        values["command"] = command.map(Value.text)
        let isolating = surface.isolatesNames && language == .session
        for words in Self.words(of: code) {
            func filled(_ text: Words.Text) -> String? {
                text.filled(with: values, in: language, isolating: isolating)
            }
            guard let sentence = filled(words.sentence) else { continue }
            let advice = filled(words.advice(on: surface, hasWindow: hasWindow)) ?? filled(words.window)
            return ReasonText(sentence: sentence, advice: advice ?? "", in: language)
        }
        return nil
    }

    /// Returns the words for a code, the more specific ones first.
    static func words(of code: String) -> [Words] {
        FindingCode(rawValue: code)?.words ?? FailureCode(rawValue: code)?.words ?? []
    }
}

extension Finding {
    /// Returns the finding in words: what is wrong, and what to do. A finding of a newer version is
    /// in the words of its program.
    public func text(on surface: Surface, in language: Language = .session) -> String {
        inWords(on: surface, in: language).text
    }

    /// Returns the sentence and the advice of ``text(on:in:)`` as two texts.
    public func inWords(on surface: Surface, in language: Language = .session) -> ReasonText {
        reason.inWords(on: surface, in: language, command: command)
            ?? ReasonText(sentence: reported ?? code, advice: "", in: language)
    }
}
