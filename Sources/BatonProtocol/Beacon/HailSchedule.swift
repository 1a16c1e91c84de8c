// SPDX-License-Identifier: Apache-2.0

/// Decides when to hail which member, if members perhaps do not know the circle's latest state.
///
/// A member is hailed for one slot. The pause before its next slot starts at one minute, and
/// doubles up to a quarter of an hour. A hail interrupts the advertisement of an activity, so the
/// activity must be on the air for ``airtime`` between two hails.
///
/// Awaited devices come first. Each awaited device gets a ``shortSlot`` repeatedly, which does not
/// lengthen its pause. Documentation/Protocol/Beacon.md, "Hails".
public struct HailSchedule: Sendable {
    /// The length of one device's slot.
    public static let slot = Duration.seconds(30)
    /// The length of a slot if the hailed device perhaps does not know of a removal.
    ///
    /// A device that listens for 20 s of each minute always hears such a hail.
    public static let removalSlot = Duration.seconds(60)
    /// The length of a slot while an activity is advertised, and of every slot for an awaited
    /// device.
    ///
    /// Receivers withdraw an activity that they have not heard for a while, on BlueZ for 35 s
    /// (`BlueZ.silenceLimit`). The slot is shorter than that. Slots for an awaited device are short
    /// because other devices may be awaited too.
    public static let shortSlot = Duration.seconds(10)
    /// The least time for which an activity is on the air between two hails.
    ///
    /// Even a slow scan hears the activity in that time.
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

    /// Whether the hailed devices perhaps do not know of a removal.
    public var tellsRemoval = false
    private var targets: [DeviceID: Target] = [:]
    private var current: (device: DeviceID, until: Duration)?
    /// The uptime since which the activity has been on the air, ignoring the present hail; nil
    /// without an activity.
    private var airedSince: Duration?

    /// Creates a schedule without devices.
    public init() {}

    /// Sets the devices to hail. Devices that were in the schedule keep their times.
    ///
    /// - Parameter awaited: The devices that somebody waits for. An awaited device interrupts the
    ///   hail of any other device.
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

    /// Makes all devices due at once, and resets their pauses, because there is news for them.
    public mutating func beginAnew(at uptime: Duration) {
        for device in targets.keys {
            targets[device]?.due = uptime
            targets[device]?.pause = Self.firstPause
        }
    }

    /// Sets whether an activity is advertised.
    public mutating func activityChanged(isAdvertised: Bool, at uptime: Duration) {
        airedSince = isAdvertised ? airedSince ?? uptime : nil
    }

    /// Returns the device to hail now, or nil.
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

    /// Interrupts the present hail, so that something else can be advertised.
    public mutating func breakOff(at uptime: Duration) {
        guard let device = current?.device else { return }
        let isAwaited = targets[device]?.isAwaited == true
        targets[device]?.due = uptime + (isAwaited ? .zero : Self.firstPause)
        end(at: uptime)
    }

    /// The uptime at which ``device(at:)`` may return another device; nil without devices.
    public var nextDeadline: Duration? {
        if let current { return current.until }
        return targets.values.map(\.due).min().map { max($0, airedSince.map { $0 + Self.airtime } ?? $0) }
    }

    /// Ends the present hail, which puts the activity on the air again.
    private mutating func end(at uptime: Duration) {
        current = nil
        if airedSince != nil { airedSince = uptime }
    }
}
