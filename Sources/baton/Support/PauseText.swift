// SPDX-License-Identifier: Apache-2.0

import BatonBus
import FoundationEssentials

/// How long Baton is paused, in words.
enum PauseText {
    /// Until when; nil when it is not paused.
    static func pause(of status: DaemonStatus) -> String? {
        guard status.isPaused else { return nil }
        guard let end = status.pausedUntil else { return "until the daemon's end" }
        return until(end, now: Date())
    }

    /// Until a time: with its day, if that is another than today.
    static func until(_ end: Date, now: Date) -> String {
        let (until, now) = (LocalTime(end), LocalTime(now))
        return "until " + (until.day == now.day ? "" : until.day + " ") + until.clock
    }
}
