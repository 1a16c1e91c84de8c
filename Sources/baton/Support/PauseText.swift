// SPDX-License-Identifier: Apache-2.0

import BatonBus
import Foundation

/// How long Baton is paused, in words.
enum PauseText {
    /// Until when; nil when it is not paused.
    static func pause(of status: DaemonStatus) -> String? {
        guard status.isPaused else { return nil }
        guard let until = status.pausedUntil else { return "until the daemon's end" }
        let style = Date.ISO8601FormatStyle(timeZone: .current).time(includingFractionalSeconds: false)
        let day = style.year().month().day().dateTimeSeparator(.space)
        return "until " + until.formatted(Calendar.current.isDateInToday(until) ? style : day)
    }
}
