// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc

/// A time as the clock on this device's wall shows it, in the form of ISO 8601.
///
/// Not `Date.ISO8601FormatStyle`: for FoundationEssentials the current time zone is Greenwich's.
struct LocalTime {
    private let fields: tm

    init(_ date: Date) {
        var (seconds, fields) = (time_t(date.timeIntervalSince1970), tm())
        localtime_r(&seconds, &fields)
        self.fields = fields
    }

    /// `2026-01-31`
    var day: String {
        [Int(fields.tm_year) + 1900, Int(fields.tm_mon) + 1, Int(fields.tm_mday)].map(Self.padded)
            .joined(separator: "-")
    }

    /// `09:05:00`
    var clock: String {
        [fields.tm_hour, fields.tm_min, fields.tm_sec].map { Self.padded(Int($0)) }.joined(separator: ":")
    }

    /// How far it is from Greenwich: `+02:00`, or `Z`.
    var zone: String {
        let minutes = fields.tm_gmtoff / 60
        if minutes == 0 { return "Z" }
        return (minutes < 0 ? "-" : "+") + Self.padded(abs(minutes) / 60) + ":" + Self.padded(abs(minutes) % 60)
    }

    private static func padded(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }
}
