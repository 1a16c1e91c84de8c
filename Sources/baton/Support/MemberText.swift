// SPDX-License-Identifier: Apache-2.0

import BatonBus
import FoundationEssentials
import UserInfoJSON
import Wording

/// The state of a device of the circle, for people and for programs.
extension CircleMember {
    /// Returns whether the device is near and how it is connected, such as `near, over l2cap`.
    private func whereabouts(at now: Date) -> String {
        if isThisDevice { return tr("(this laptop)") }
        let ways = JoinedText.list(transports)
        switch (isNear, transports.isEmpty) {
        case (true, true): return tr("near")
        case (true, false): return tr("near, connected over {ways}", ["ways": ways])
        case (false, false): return tr("connected over {ways}", ["ways": ways])
        case (false, true): return lastSeen.map { Self.lastSeen($0, now) } ?? tr("not seen yet")
        }
    }

    /// Returns the device's presence. If the user has stopped the device, adds until when the stop
    /// lasts and how to end it.
    func standing(at now: Date) -> String {
        guard let stoppedUntil else { return whereabouts(at: now) }
        let (time, command) = (PauseText.time(stoppedUntil, now: now), "baton stop --undo \(device)")
        return whereabouts(at: now) + "  "
            + tr("(gets nothing from here until {time}; '{command}' ends that)", ["time": time, "command": command])
    }

    /// Returns the text that says until when the device is stopped, or `nil` if it is not stopped.
    func stop(at now: Date) -> String? {
        stoppedUntil.map { "gets nothing from here \(PauseText.until($0, now: now))" }
    }

    /// The state as fields of a JSON object.
    var presence: [String: JSONNode] {
        [
            "near": .bool(isNear), "transports": .array(transports.map(JSONNode.string)),
            "lastSeen": lastSeen.map { .string($0.formatted(.iso8601)) } ?? .null,
            "stoppedUntil": stoppedUntil.map { .string($0.formatted(.iso8601)) } ?? .null,
        ]
    }

    /// Returns how long ago a device was seen, in the largest unit that fits.
    private static func lastSeen(_ time: Date, _ now: Date) -> String {
        let seconds = max(0, Int(now.timeIntervalSince(time).rounded()))
        let (minutes, hours, days) = (seconds / 60, seconds / 3_600, seconds / 86_400)
        if days > 0 { return ntr("last seen {count} day ago", "last seen {count} days ago", days) }
        if hours > 0 { return ntr("last seen {count} hour ago", "last seen {count} hours ago", hours) }
        if minutes > 0 { return ntr("last seen {count} minute ago", "last seen {count} minutes ago", minutes) }
        return tr("last seen just now")
    }
}
