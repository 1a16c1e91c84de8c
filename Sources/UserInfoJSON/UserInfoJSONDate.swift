// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Reads and writes dates in typed JSON without loss.
///
/// A `Date` stores seconds since 2001 as a double. Neither a fixed number of decimals nor a double
/// of seconds since 1970 can express every date. So there are three forms, and a date is written in
/// the first form that reads back as exactly the same date.
enum UserInfoJSONDate {
    private static let key2001 = "since2001"
    private static let secondsPerDay: Int64 = 86_400
    /// The number of days from 0000-03-01, from which the calculation counts, to 2001-01-01.
    private static let daysTo2001: Int64 = 730_791

    /// Returns the content after `$date`.
    static func node(_ date: Date) -> JSONNode {
        if let text = text(date), self.date(text) == date { return .string(text) }
        let since1970 = date.timeIntervalSince1970
        if since1970.isFinite, Date(timeIntervalSince1970: since1970) == date,
            Int64(exactly: since1970) != nil || since1970 != since1970.rounded()
        {
            return Int64(exactly: since1970).map { .int($0) } ?? .double(since1970)
        }
        return .object([key2001: UserInfoJSONNumber.content(date.timeIntervalSinceReferenceDate)])
    }

    /// Reads the content after `$date`.
    static func date(_ content: JSONNode) -> Date? {
        switch content {
        case .string(let text): date(text)
        case .int(let seconds): Date(timeIntervalSince1970: Double(seconds))
        case .double(let seconds): Date(timeIntervalSince1970: seconds)
        case .object(let object):
            object.count == 1 ? object[key2001].flatMap(UserInfoJSONNumber.double).flatMap(date(since2001:)) : nil
        default: nil
        }
    }

    /// Returns the date for seconds since 2001, or nil for infinity and NaN.
    private static func date(since2001 seconds: Double) -> Date? {
        seconds.isFinite ? Date(timeIntervalSinceReferenceDate: seconds) : nil
    }

    /// Returns ISO 8601 text in UTC with all decimals, or nil outside of the years 1 to 9999.
    private static func text(_ date: Date) -> String? {
        let since2001 = date.timeIntervalSinceReferenceDate
        guard since2001.isFinite, abs(since2001) < 1e12 else { return nil }
        let seconds = Int64(since2001.rounded(.down))
        guard let fraction = fraction(since2001) else { return nil }
        let day = Int64((Double(seconds) / Double(secondsPerDay)).rounded(.down))
        let second = seconds - day * secondsPerDay
        let (year, month, dayOfMonth) = civil(day)
        guard (1...9999).contains(year) else { return nil }
        let fields =
            [(year, 4, "-"), (month, 2, "-"), (dayOfMonth, 2, "T")]
            + [(second / 3600, 2, ":"), (second / 60 % 60, 2, ":"), (second % 60, 2, "")]
        let whole = fields.map { value, width, separator in
            let digits = String(value)
            return String(repeating: "0", count: width - digits.count) + digits + separator
        }
        return whole.joined() + fraction + "Z"
    }

    /// Returns the decimals of the second, with the decimal point.
    ///
    /// The decimals are taken from the double's decimal text, so that no rounding changes them.
    private static func fraction(_ since2001: Double) -> String? {
        let text = since2001.description
        guard !text.contains("e") else { return nil }
        let digits = text.split(separator: ".").last.map(String.init) ?? ""
        guard digits.contains(where: { $0 != "0" }) else { return "" }
        guard since2001 < 0 else { return "." + digits }
        // Before 2001 the seconds are negative, but the decimals of a time count upwards.
        guard digits.count <= 18, let value = Int64(digits) else { return nil }
        return "." + complement(of: value, digits: digits.count)
    }

    /// Returns the decimals that must be added to the decimals of a value to give one.
    private static func complement(of value: Int64, digits: Int) -> String {
        let one = (0..<digits).reduce(Int64(1)) { power, _ in power * 10 }
        let complement = String(one - value)
        return String(repeating: "0", count: digits - complement.count) + complement
    }

    /// Reads `YYYY-MM-DDThh:mm:ss[.fraction](Z|±hh:mm)`.
    private static func date(_ text: String) -> Date? {
        let pattern = /(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,18}))?(?:Z|([+-])(\d\d):(\d\d))/
            .asciiOnlyDigits()
        guard let match = text.wholeMatch(of: pattern)?.output else { return nil }
        func number(_ text: Substring?) -> Int64 { text.flatMap { Int64($0) } ?? 0 }
        let (year, month, dayOfMonth) = (number(match.1), number(match.2), number(match.3))
        let (hour, minute, second) = (number(match.4), number(match.5), number(match.6))
        let offset = (number(match.9) * 3600 + number(match.10) * 60) * (match.8 == "-" ? -1 : 1)
        let day = days(year, month, dayOfMonth)
        // Reject an impossible day, such as February 30, which converts back to a different date.
        guard year >= 1, civil(day) == (year, month, dayOfMonth), hour < 24, minute < 60, second < 60,
            number(match.9) < 24, number(match.10) < 60
        else { return nil }
        let whole = day * secondsPerDay + hour * 3600 + minute * 60 + second - offset
        return decimal(whole, fraction: match.7.map(String.init) ?? "").map(Date.init(timeIntervalSinceReferenceDate:))
    }

    /// Returns the double that is nearest to `whole` plus the fraction.
    private static func decimal(_ whole: Int64, fraction: String) -> Double? {
        guard whole < 0, let value = Int64(fraction), value > 0 else { return Double("\(whole).\(fraction)0") }
        return Double("-\(-(whole + 1)).\(complement(of: value, digits: fraction.count))")
    }

    /// Returns the proleptic Gregorian date of a day, counted from 2001-01-01.
    private static func civil(_ day: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = day + daysTo2001
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }

    /// Returns the number of days from 2001-01-01 to a proleptic Gregorian date.
    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - daysTo2001
    }
}
