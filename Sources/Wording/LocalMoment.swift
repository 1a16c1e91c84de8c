// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A time in the local time zone.
public struct LocalMoment {
    /// The number of days before and after today for which the day of the week is enough.
    private static let daysOfWeek: Int64 = 6
    private static let day: Int64 = 86_400

    private let seconds: Int64
    private var fields = tm()

    /// - Parameter seconds: The seconds since 1970.
    public init(_ seconds: Int64) {
        var time = time_t(seconds)
        self.seconds = seconds
        localtime_r(&time, &fields)
    }

    static var now: LocalMoment { LocalMoment(Int64(time(nil))) }

    /// Returns the time of day, and the day if it is not today, in the format of the session. In
    /// English, which is for logs and JSON, the format is ISO 8601.
    ///
    /// - Parameter now: The present time, or nil to return the date even if it is the date of
    ///   today.
    public func text(now: LocalMoment?, in language: Language = .session) -> String {
        guard language == .session else { return formatted("%Y-%m-%d %H:%M") }
        let time = formatted(Self.hasHalves ? "%-I:%M %p" : "%H:%M")
        if let now, isOnSameDay(as: now) { return time }
        let isInWeek = now.map { abs(seconds - $0.seconds) < Self.daysOfWeek * Self.day } ?? false
        return tr("{day}, {time}", ["day": formatted(isInWeek ? "%A" : "%x"), "time": time])
    }

    private func isOnSameDay(as other: LocalMoment) -> Bool {
        fields.tm_year == other.fields.tm_year && fields.tm_yday == other.fields.tm_yday
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
