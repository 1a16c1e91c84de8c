// SPDX-License-Identifier: Apache-2.0

/// How often a device's offers may pop up: any member can advertise in a device's name, and each
/// new notification takes the user's attention.
///
/// A notification is new when it is of another activity than the device's last one. A change of its
/// text is not new, nor is the same activity after a pause or a locked screen. No clock: times are
/// told.
struct NotificationPace: Sendable {
    /// How many notifications of a device may be new in an ``interval``.
    static let limit = 4
    static let interval = Duration.seconds(60)

    /// An activity that a device offers.
    struct Activity: Hashable, Sendable {
        var offer: String
        /// Which activity of its type it is.
        var number: UInt32
    }

    /// What is to become of an activity's notification.
    enum Verdict: Hashable, Sendable {
        /// It is shown; it is not new.
        case known
        /// It is shown in place of the one of another activity, if there was one.
        case new(replacing: Activity?)
        /// It is not shown before ``NotificationPace/deadline``.
        case later
    }

    private struct Device: Sendable {
        var shown: Activity?
        /// When those that were new lately were shown, the oldest first.
        var times: [Duration] = []
        /// What was left out.
        var waiting: Activity?
    }

    private var devices: [String: Device] = [:]

    /// How many devices are remembered.
    var count: Int { devices.count }

    /// When a device may show again what was left out.
    var deadline: Duration? {
        devices.values.compactMap { $0.waiting == nil ? nil : $0.times.first.map { $0 + Self.interval } }.min()
    }

    /// A device's activity is to be shown.
    mutating func show(_ activity: Activity, of device: String, at uptime: Duration) -> Verdict {
        forgetTimes(at: uptime)
        var entry = devices[device] ?? Device()
        defer { devices[device] = entry }
        entry.waiting = nil
        guard entry.shown != activity else { return .known }
        guard entry.times.count < Self.limit else {
            entry.waiting = activity
            return .later
        }
        entry.times.append(uptime)
        defer { entry.shown = activity }
        return .new(replacing: entry.shown)
    }

    /// An offer is gone.
    mutating func withdrawn(_ offer: String, of device: String) {
        if devices[device]?.shown?.offer == offer { devices[device]?.shown = nil }
        if devices[device]?.waiting?.offer == offer { devices[device]?.waiting = nil }
        forgetUnused()
    }

    /// The offers that were left out and may be shown now.
    mutating func due(at uptime: Duration) -> [String] {
        forgetTimes(at: uptime)
        return devices.values.compactMap { $0.times.count < Self.limit ? $0.waiting?.offer : nil }
    }

    private mutating func forgetTimes(at uptime: Duration) {
        for device in devices.keys { devices[device]?.times.removeAll { $0 + Self.interval <= uptime } }
        forgetUnused()
    }

    private mutating func forgetUnused() {
        devices = devices.filter { $0.value.shown != nil || $0.value.waiting != nil || !$0.value.times.isEmpty }
    }
}
