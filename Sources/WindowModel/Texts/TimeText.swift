// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc

/// Writes times in the session's language and time zone.
enum TimeText {
    private static let week = 6 * 86_400.0

    /// Returns the time of day, with the day if it is not today.
    ///
    /// - Parameter now: The present time.
    static func moment(_ date: Date, now: Date) -> String {
        let (then, today) = (local(date), local(now))
        if then.tm_year == today.tm_year, then.tm_yday == today.tm_yday { return text("%H:%M", then) }
        return text(abs(date.timeIntervalSince(now)) < week ? "%A, %H:%M" : "%x, %H:%M", then)
    }

    private static func local(_ date: Date) -> tm {
        var (seconds, parts) = (time_t(clamping: Int64(date.timeIntervalSince1970)), tm())
        localtime_r(&seconds, &parts)
        return parts
    }

    private static func text(_ format: String, _ parts: tm) -> String {
        var (buffer, parts) = ([CChar](repeating: 0, count: 128), parts)
        let length = strftime(&buffer, buffer.count, format, &parts)
        return String(decoding: buffer.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
