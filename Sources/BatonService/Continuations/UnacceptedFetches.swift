// SPDX-License-Identifier: Apache-2.0

import BatonProtocol

/// Counts how often each device fetches activities again without taking them over.
///
/// A device that follows a user's writing fetches one activity again and again. A device in normal
/// use fetches an activity once or twice and takes it over. Each activity that it takes over
/// offsets one repeated fetch. The type also records the devices that the user has stopped. It
/// exists in memory only, so its times are uptimes.
struct UnacceptedFetches: Sendable {
    /// The number of repeated fetches without a takeover at which the user is told.
    static let tolerated = 10
    /// How long after a device's last fetch its count starts again at zero.
    static let memory = Duration.seconds(3_600)
    /// How long this device refuses a device that the user has stopped.
    static let stop = Duration.seconds(3_600)
    /// How many activities of a device are remembered. The oldest are forgotten first.
    static let maximumActivities = 16

    private struct Entry: Sendable {
        var activities: [[UInt8]] = []
        var count = 0
        var isTold = false
        var last = Duration.zero
    }

    private var entries: [DeviceID: Entry] = [:]
    /// When the devices' stops end, as an uptime and in seconds since 1970.
    private var stops: [DeviceID: (end: Duration, unixTime: Int64)] = [:]

    /// The number of devices of which something is remembered.
    var count: Int { Set(entries.keys).union(stops.keys).count }

    /// Records that a device has fetched an activity.
    ///
    /// - Returns: The number of repeated fetches if the user must be told now, which happens once
    ///   until the device has made up for all of them.
    mutating func fetched(_ instance: [UInt8], by device: DeviceID, at uptime: Duration) -> Int? {
        forget(at: uptime)
        var entry = entries[device] ?? Entry()
        defer { entries[device] = entry }
        entry.last = uptime
        guard entry.activities.contains(instance) else {
            entry.activities = (entry.activities + [instance]).suffix(Self.maximumActivities)
            return nil
        }
        entry.count += 1
        guard entry.count >= Self.tolerated, !entry.isTold else { return nil }
        entry.isTold = true
        return entry.count
    }

    /// Records that a device has taken an activity over.
    mutating func accepted(by device: DeviceID) {
        guard var entry = entries[device] else { return }
        entry.count = max(0, entry.count - 1)
        if entry.count == 0 { entry.isTold = false }
        entries[device] = entry
    }

    /// Stops a device for a while, because the user wants that.
    mutating func stop(_ device: DeviceID, at uptime: Duration, unixTime: Int64) {
        forget(at: uptime)
        stops[device] = (uptime + Self.stop, unixTime + Self.stop.components.seconds)
    }

    /// Allows a device again, and resets its count.
    ///
    /// - Returns: Whether it was stopped.
    mutating func allow(_ device: DeviceID, at uptime: Duration) -> Bool {
        forget(at: uptime)
        entries[device] = nil
        return stops.removeValue(forKey: device) != nil
    }

    /// Returns when a device's stop ends, in seconds since 1970, or nil if it is not stopped.
    func stopEnd(of device: DeviceID, at uptime: Duration) -> Int64? {
        stops[device].flatMap { $0.end > uptime ? $0.unixTime : nil }
    }

    /// Forgets the devices that do not match.
    mutating func keep(where isKept: (DeviceID) -> Bool) {
        entries = entries.filter { isKept($0.key) }
        stops = stops.filter { isKept($0.key) }
    }

    private mutating func forget(at uptime: Duration) {
        entries = entries.filter { $0.value.last + Self.memory > uptime }
        stops = stops.filter { $0.value.end > uptime }
    }
}
