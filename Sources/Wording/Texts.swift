// SPDX-License-Identifier: Apache-2.0

import CGettext

/// Returns a text in the session's language, with values for its named placeholders.
///
/// The text is a literal on one line, because xgettext reads it (Documentation/Translating.md). It
/// is a whole sentence, or the whole text of a button. If its translation is missing, or has
/// other placeholders, the text stays English.
///
/// - Parameter text: The English text, such as `{app} from "{laptop}"`.
/// - Parameter values: A value for each placeholder of the text.
public func tr(_ text: String, _ values: [String: String] = [:]) -> String {
    translated(text, values, in: .session)
}

/// Returns a text for a graphical surface, with the names of laptops, apps and the like for its
/// named placeholders. No name can hide or move the words around it (``ForeignText``).
public func tr(_ text: String, isolating names: [String: String]) -> String {
    tr(text, names.mapValues { ForeignText.line($0, limit: ForeignText.longestName) })
}

/// Returns a text about a number of things, in the plural form that the session's language has for
/// this number. The text contains `{count}`.
///
/// - Parameter one: The English text for 1, such as `{count} laptop`.
/// - Parameter many: The English text for every other number, such as `{count} laptops`.
public func ntr(_ one: String, _ many: String, _ count: Int, _ values: [String: String] = [:]) -> String {
    translated(one: one, many: many, count, values, in: .session)
}

/// Marks a text that is translated later.
func mark(_ text: String) -> String { text }

/// Marks a text about a number, which is translated later.
///
/// - Parameter place: The name of the number's placeholder.
func counted(_ one: String, _ many: String, by place: String) -> Words.Text {
    Words.Text(many, one: (one, place))
}

func translated(_ text: String, _ values: [String: String], in language: Language) -> String {
    // gettext translates an empty text to the header of the catalogue.
    guard language == .session, !text.isEmpty else { return filled(text, with: values) ?? text }
    // Without a translation dgettext returns its argument, so copy the result while the argument
    // exists.
    let found = text.withCString { String(cString: dgettext(SessionLanguage.domain, $0)) }
    return filled(found, english: text, with: values)
}

func translated(
    one: String, many: String, _ count: Int, _ values: [String: String], in language: Language
) -> String {
    let values = values.merging(["count": String(count)]) { own, _ in own }
    let english = count == 1 ? one : many
    guard language == .session else { return filled(english, with: values) ?? english }
    let found = one.withCString { one in
        many.withCString { String(cString: dngettext(SessionLanguage.domain, one, $0, count.magnitude)) }
    }
    return filled(found, english: english, with: values)
}

/// Returns the names of a text's placeholders, in their order.
func places(of text: String) -> [String] { text.matches(of: place).map { String($0.1) } }

// The compiler does not know that a regular expression has no state.
private nonisolated(unsafe) let place = /\{(\w+)\}/

private func filled(_ translated: String, english: String, with values: [String: String]) -> String {
    filled(translated, with: values) ?? filled(english, with: values) ?? english
}

/// Returns a text with its values, or `nil` if a placeholder has no value.
private func filled(_ text: String, with values: [String: String]) -> String? {
    guard places(of: text).allSatisfy({ values[$0] != nil }) else { return nil }
    return text.replacing(place) { values[String($0.1)] ?? "" }
}
