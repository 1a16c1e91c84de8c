// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc

/// A time in the local time zone, in the form of ISO 8601.
///
/// `Date.ISO8601FormatStyle` does not work here, because FoundationEssentials uses UTC as the
/// current time zone.
struct LocalTime {
    private let fields: tm

    init(_ date: Date) {
        var (seconds, fields) = (time_t(date.timeIntervalSince1970), tm())
        localtime_r(&seconds, &fields)
        self.fields = fields
    }

    /// The date, such as `2026-01-31`.
    var day: String {
        [Int(fields.tm_year) + 1900, Int(fields.tm_mon) + 1, Int(fields.tm_mday)].map(Self.padded)
            .joined(separator: "-")
    }

    /// The time, such as `09:05:00`.
    var clock: String {
        [fields.tm_hour, fields.tm_min, fields.tm_sec].map { Self.padded(Int($0)) }.joined(separator: ":")
    }

    /// The offset from UTC, such as `+02:00`, or `Z`.
    var zone: String {
        let minutes = fields.tm_gmtoff / 60
        if minutes == 0 { return "Z" }
        return (minutes < 0 ? "-" : "+") + Self.padded(abs(minutes) / 60) + ":" + Self.padded(abs(minutes) % 60)
    }

    private static func padded(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }
}
