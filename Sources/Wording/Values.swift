// SPDX-License-Identifier: Apache-2.0

import CGettext
import Diagnosis
import Glibc

extension Reason.Value {
    /// Returns the value as a text for people.
    func text(in language: Language) -> String {
        switch self {
        case .text(let text): text
        case .count(let count): String(count)
        case .time(let seconds): LocalMoment(seconds).text(now: LocalMoment(Int64(Glibc.time(nil))), in: language)
        case .duration(let duration): Self.text(seconds: duration.components.seconds, in: language)
        }
    }

    /// Returns a length of time in its largest unit, rounded, and at least a minute.
    private static func text(seconds: Int64, in language: Language) -> String {
        let units: [(seconds: Int64, text: Words.Text)] = [
            (31_557_600, counted("{count} year", "{count} years", by: "count")),
            (86_400, counted("{count} day", "{count} days", by: "count")),
            (3_600, counted("{count} hour", "{count} hours", by: "count")),
            (60, counted("{count} minute", "{count} minutes", by: "count")),
        ]
        // A few seconds less than an hour still count as an hour.
        let unit = units.first { seconds + $0.seconds / 60 >= $0.seconds } ?? units[3]
        let count = max(1, Int((seconds + unit.seconds / 2) / unit.seconds))
        return unit.text.filled(with: ["count": .count(count)], in: language) ?? ""
    }
}

/// A time in the local time zone.
struct LocalMoment {
    private var fields = tm()

    /// - Parameter seconds: The seconds since 1970.
    init(_ seconds: Int64) {
        var seconds = time_t(seconds)
        localtime_r(&seconds, &fields)
    }

    /// Returns the time of day, and the day if it is not today, in the format of the session. In
    /// English, which is for logs and JSON, the format is that of ISO 8601.
    func text(now: LocalMoment, in language: Language) -> String {
        guard language == .session else { return formatted("%Y-%m-%d %H:%M") }
        let time = formatted(Self.hasHalves ? "%I:%M %p" : "%H:%M")
        guard now.fields.tm_year != fields.tm_year || now.fields.tm_yday != fields.tm_yday else { return time }
        return tr("{day}, {time}", ["day": formatted("%x"), "time": time])
    }

    /// Whether the session's locale divides the day into AM and PM.
    private static var hasHalves: Bool {
        let format = nl_langinfo(nl_item(T_FMT)).map { String(cString: $0) } ?? ""
        return format.contains("%p") || format.contains("%r")
    }

    private func formatted(_ format: String) -> String {
        var fields = fields
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
            guard let start = buffer.baseAddress, strftime(start, buffer.count, format, &fields) > 0 else { return "" }
            return String(cString: start)
        }
    }
}
