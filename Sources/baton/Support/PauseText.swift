// SPDX-License-Identifier: Apache-2.0

import BatonBus
import Diagnosis
import FoundationEssentials

enum PauseText {
    /// Returns the text that says until when Baton is paused, or `nil` if it is not paused.
    static func pause(of status: DaemonStatus) -> String? {
        guard status.isPaused else { return nil }
        guard let end = status.pausedUntil else { return "until the daemon's end" }
        return until(end, now: Date())
    }

    /// Returns the finding that Baton is paused, or `nil` if it is not paused.
    static func finding(of status: DaemonStatus) -> Finding? {
        guard status.isPaused else { return nil }
        let end = status.pausedUntil.map { ["end": Reason.Value.time(Int64($0.timeIntervalSince1970))] }
        return Finding(.paused, end ?? [:], command: "baton resume")
    }

    static func until(_ end: Date, now: Date) -> String { "until \(time(end, now: now))" }

    /// Returns a time, with the date if it is not today.
    static func time(_ end: Date, now: Date) -> String {
        let (end, now) = (LocalTime(end), LocalTime(now))
        return (end.day == now.day ? "" : end.day + " ") + end.clock
    }
}
