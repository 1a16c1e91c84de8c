// SPDX-License-Identifier: Apache-2.0

import BatonBus
import FoundationEssentials

/// How long Baton is paused, in words.
enum PauseText {
    /// Until when; nil when it is not paused.
    static func pause(of status: DaemonStatus) -> String? {
        guard status.isPaused else { return nil }
        guard let end = status.pausedUntil else { return "until the daemon's end" }
        let (until, now) = (LocalTime(end), LocalTime(Date()))
        return "until " + (until.day == now.day ? "" : until.day + " ") + until.clock
    }
}
