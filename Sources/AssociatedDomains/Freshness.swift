// SPDX-License-Identifier: Apache-2.0

/// Calculates how long a domain's answer is fresh. HTTP's rules apply, within limits of one and
/// thirty days.
///
/// Source: RFC 9111, sections 4.2 and 5.2; RFC 9110, section 5.6.7.
public enum Freshness {
    /// The shortest lifetime, in seconds, even if the domain forbids caching.
    public static let minimum = 86_400
    /// The longest lifetime, in seconds. An approval stays valid for the same time.
    public static let maximum = 30 * 86_400

    /// Returns the lifetime of an answer, in seconds.
    ///
    /// - Parameter headers: Returns the values of a header, in their order. Called with the
    ///   header's name in lower case.
    public static func lifetime(_ headers: (_ name: String) -> [String]) -> Int {
        let directives = headers("cache-control").flatMap { $0.split(separator: ",") }.map(trimmed)
        if directives.contains(where: { ["no-store", "no-cache"].contains(name(of: $0)) }) { return minimum }
        let age = headers("age").first.flatMap { seconds($0[...]) } ?? 0
        if let directive = directives.first(where: { name(of: $0) == "max-age" }) {
            return bounded((value(of: directive) ?? 0) - age)
        }
        guard let expires = headers("expires").first, let date = headers("date").first,
            let end = HTTPDate.seconds(expires), let start = HTTPDate.seconds(date)
        else { return minimum }
        return bounded(end - start - age)
    }

    static func bounded(_ seconds: Int) -> Int { min(max(seconds, minimum), maximum) }

    private static func trimmed(_ text: Substring) -> Substring {
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        guard let last = text.lastIndex(where: { !isBlank($0) }) else { return "" }
        return text[...last].drop(while: isBlank)
    }

    private static func name(of directive: Substring) -> String { directive.prefix { $0 != "=" }.lowercased() }

    private static func value(of directive: Substring) -> Int? {
        directive.firstIndex(of: "=").flatMap { index in
            let value = directive[directive.index(after: index)...]
            let isQuoted = value.count > 1 && value.first == "\"" && value.last == "\""
            return seconds(isQuoted ? value.dropFirst().dropLast() : value)
        }
    }

    /// Reads HTTP's delta-seconds, which are digits.
    ///
    /// A number that is too large for `Int` counts as twice the longest lifetime.
    private static func seconds(_ text: Substring) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(text).map { min($0, maximum * 2) } ?? maximum * 2
    }
}

/// Reads a date in an HTTP header, in the form `Sun, 06 Nov 1994 08:49:37 GMT`.
///
/// RFC 9110, section 5.6.7, requires servers to send this form (IMF-fixdate).
enum HTTPDate {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Returns the seconds since 1970, or nil if the text is not a date from 1970 to 9999.
    static func seconds(_ text: String) -> Int? {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard text.utf8.count == 29, parts.count == 6, parts[5] == "GMT", parts[0].utf8.last == UInt8(ascii: ","),
            let day = number(parts[1], 2), let month = months.firstIndex(of: String(parts[2])),
            let year = number(parts[3], 4), (1970...9999).contains(year), (1...31).contains(day)
        else { return nil }
        let clock = parts[4].split(separator: ":", omittingEmptySubsequences: false)
        guard clock.count == 3, let hour = number(clock[0], 2), let minute = number(clock[1], 2),
            let second = number(clock[2], 2), hour < 24, minute < 60, second <= 60
        else { return nil }
        return (days(year, month + 1, day) * 24 + hour) * 3_600 + minute * 60 + second
    }

    private static func number(_ text: Substring, _ digits: Int) -> Int? {
        guard text.utf8.count == digits, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(text)
    }

    /// Returns the number of days since 1970-01-01. In the calculation, years begin in March.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let year = month > 2 ? year : year - 1
        let fromMarch = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return year * 365 + year / 4 - year / 100 + year / 400 + fromMarch - 719_468
    }
}
