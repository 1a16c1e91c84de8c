// SPDX-License-Identifier: Apache-2.0

/// Whom to hail, and when: members that may not know the circle as it is here, one after the other.
///
/// Each is hailed for one slot, then after a minute, then after twice as long each time, up to a
/// quarter of an hour. An activity, which is not heard during a hail, is on the air for ``airtime``
/// before the next one. Devices that somebody waits for come first, for a short slot each, again
/// and again; that does not count for the pauses. Documentation/Protocol/Beacon.md, "Hails".
public struct HailSchedule: Sendable {
    /// How long one device is hailed.
    public static let slot = Duration.seconds(30)
    /// The same, where who is hailed may not know of a removal: who listens for a third of the time
    /// hears it for sure.
    public static let removalSlot = Duration.seconds(60)
    /// The same, while an activity is advertised, which is silent meanwhile: shorter than it takes
    /// a receiver to give the activity up, on BlueZ 35 s (`BlueZ.silenceLimit`). And for a device
    /// that somebody waits for, as others may be waited for, too.
    public static let shortSlot = Duration.seconds(10)
    /// How long an activity is on the air at least between two hails, whoever they are for: long
    /// enough for a slow scan to hear it.
    public static let airtime = Duration.seconds(20)
    /// The first pause between two hails of one device.
    public static let firstPause = Duration.seconds(60)
    /// The longest pause.
    public static let longestPause = Duration.seconds(900)

    private struct Target: Sendable {
        var due: Duration
        var pause: Duration
        var isAwaited = false
    }

    /// Whether there is a removal of which those that are hailed may not know.
    public var tellsRemoval = false
    private var targets: [DeviceID: Target] = [:]
    private var current: (device: DeviceID, until: Duration)?
    /// Since when the activity that is advertised has been on the air, but for the hail that is
    /// there now; nil while there is none.
    private var airedSince: Duration?

    /// A schedule without anybody to hail.
    public init() {}

    /// Who is to be hailed changed. Who was a target already stays where it was.
    ///
    /// - Parameter awaited: Those of them that somebody waits for; the hail of another gives way to
    ///   them.
    public mutating func targetsChanged(
        _ devices: Set<DeviceID>, awaited: Set<DeviceID> = [], at uptime: Duration
    ) {
        targets = targets.filter { devices.contains($0.key) }
        for device in devices {
            var target = targets[device] ?? Target(due: uptime, pause: Self.firstPause)
            if awaited.contains(device), !target.isAwaited { target.due = uptime }
            target.isAwaited = awaited.contains(device)
            targets[device] = target
        }
        guard let device = current?.device else { return }
        if targets[device] == nil {
            end(at: uptime)
        } else if !awaited.isEmpty, !awaited.contains(device) {
            breakOff(at: uptime)
        }
    }

    /// Everybody is due at once: there is news.
    public mutating func beginAnew(at uptime: Duration) {
        for device in targets.keys {
            targets[device]?.due = uptime
            targets[device]?.pause = Self.firstPause
        }
    }

    /// Whether an activity is advertised may have changed.
    public mutating func activityChanged(isAdvertised: Bool, at uptime: Duration) {
        airedSince = isAdvertised ? airedSince ?? uptime : nil
    }

    /// The device to hail now, if any.
    public mutating func device(at uptime: Duration) -> DeviceID? {
        if let current {
            if uptime < current.until { return current.device }
            end(at: uptime)
        }
        if let airedSince, uptime < airedSince + Self.airtime { return nil }
        let due = targets.filter { $0.value.due <= uptime }
        let first = due.filter(\.value.isAwaited)
        guard
            let (next, target) = (first.isEmpty ? due : first).min(by: {
                ($0.value.due, $0.key) < ($1.value.due, $1.key)
            })
        else { return nil }
        let long = tellsRemoval ? Self.removalSlot : Self.slot
        let slot = airedSince == nil && !target.isAwaited ? long : Self.shortSlot
        current = (next, uptime + slot)
        targets[next]?.due = uptime + slot
        if !target.isAwaited {
            targets[next]?.due += target.pause
            targets[next]?.pause = min(target.pause * 2, Self.longestPause)
        }
        return next
    }

    /// The hail that is on the air gives way to something else.
    public mutating func breakOff(at uptime: Duration) {
        guard let device = current?.device else { return }
        let isAwaited = targets[device]?.isAwaited == true
        targets[device]?.due = uptime + (isAwaited ? .zero : Self.firstPause)
        end(at: uptime)
    }

    /// When ``device(at:)`` may say something else.
    public var nextDeadline: Duration? {
        if let current { return current.until }
        return targets.values.map(\.due).min().map { max($0, airedSince.map { $0 + Self.airtime } ?? $0) }
    }

    /// A hail is over: what else is advertised is on the air from now on.
    private mutating func end(at uptime: Duration) {
        current = nil
        if airedSince != nil { airedSince = uptime }
    }
}
