// SPDX-License-Identifier: Apache-2.0

import BatonBus
import FoundationEssentials
import UserInfoJSON

/// The state of a device of the circle, for people and for programs.
extension CircleMember {
    /// Returns whether the device is near and how it is connected, such as `near, over l2cap`.
    private func whereabouts(at now: Date) -> String {
        if isThisDevice { return "(this device)" }
        let way = transports.isEmpty ? "" : "connected over \(transports.joined(separator: " and "))"
        if isNear { return way.isEmpty ? "near" : "near, \(way)" }
        if !way.isEmpty { return way }
        return lastSeen.map { "last seen \(Self.ago($0, now))" } ?? "not seen yet"
    }

    /// Returns the device's presence. If this device sends it nothing, adds until when, and how to
    /// end that.
    func standing(at now: Date) -> String {
        whereabouts(at: now) + (stop(at: now).map { "  (\($0); 'baton stop --undo \(device)' ends that)" } ?? "")
    }

    /// Returns the text that says until when this device sends the other one nothing, or `nil` if
    /// it was not stopped.
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

    /// Returns how long ago a time was, in the largest unit that fits.
    private static func ago(_ time: Date, _ now: Date) -> String {
        let seconds = max(0, Int(now.timeIntervalSince(time).rounded()))
        let units = [(86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second")]
        guard let (length, name) = units.first(where: { seconds >= $0.0 }) else { return "just now" }
        let count = seconds / length
        return "\(count) \(name)\(count == 1 ? "" : "s") ago"
    }
}
