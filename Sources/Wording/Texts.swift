// SPDX-License-Identifier: Apache-2.0

import CGettext

/// Returns a text in the session's language, with values in its named places.
///
/// The text is a literal on one line, because xgettext reads it (Documentation/Translating.md). It
/// is a whole sentence, or the whole text of a button. If its translation is missing or has other
/// places, the text stays English.
///
/// - Parameter text: The English text, such as `{app} from "{laptop}"`.
/// - Parameter values: A value for each place of the text.
public func tr(_ text: String, _ values: [String: String] = [:]) -> String {
    filled(translation(of: text), english: text, with: values)
}

/// Returns a text about a number of things, in the plural form that the session's language has for
/// this number. `{count}` is among its places.
///
/// - Parameter one: The English text for 1, such as `{count} laptop`.
/// - Parameter many: The English text for every other number, such as `{count} laptops`.
public func ntr(_ one: String, _ many: String, _ count: Int, _ values: [String: String] = [:]) -> String {
    let found = one.withCString { one in
        many.withCString { String(cString: dngettext(SessionLanguage.domain, one, $0, count.magnitude)) }
    }
    let values = values.merging(["count": String(count)]) { own, _ in own }
    return filled(found, english: count == 1 ? one : many, with: values)
}

/// Marks a text that ``tr(_:_:)`` translates later.
public func mark(_ text: String) -> String { text }

/// Returns the names of a text's places, in their order.
func places(of text: String) -> [String] { text.matches(of: place).map { String($0.1) } }

// A regular expression has no state. The compiler does not know that.
private nonisolated(unsafe) let place = /\{(\w+)\}/

private func translation(of text: String) -> String {
    // gettext's translation of nothing is the header of the catalogue. Without a translation it
    // returns its argument, which must still be there then.
    text.isEmpty ? text : text.withCString { String(cString: dgettext(SessionLanguage.domain, $0)) }
}

private func filled(_ translated: String, english: String, with values: [String: String]) -> String {
    filled(translated, with: values) ?? filled(english, with: values) ?? english
}

/// Returns a text with its values, or `nil` if it has a place without a value.
private func filled(_ text: String, with values: [String: String]) -> String? {
    guard places(of: text).allSatisfy({ values[$0] != nil }) else { return nil }
    return text.replacing(place) { values[String($0.1)] ?? "" }
}
