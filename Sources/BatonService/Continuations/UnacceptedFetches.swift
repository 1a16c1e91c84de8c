// SPDX-License-Identifier: Apache-2.0

import BatonProtocol

/// Counts how often another device fetches activities again without taking them over, and records
/// whether the user has stopped that device.
///
/// A device that secretly follows what a user writes fetches one activity again and again. A device
/// in normal use fetches an activity once or twice and takes it over. Each activity that the device
/// takes over offsets one repeated fetch. The counts are in memory only, so their times are
/// uptimes.
struct UnacceptedFetches: Sendable {
    /// The number of repeated fetches without a takeover at which the user is warned.
    static let tolerated = 10
    /// How long after the last fetch the count starts again at zero.
    static let memory = Duration.seconds(3_600)
    /// How long this device refuses a device that the user has stopped.
    static let stop = Duration.seconds(3_600)
    /// The maximum number of remembered activities. The oldest activities are forgotten first.
    static let maximumActivities = 16

    private var activities: [[UInt8]] = []
    private var count = 0
    private var isTold = false
    private var last: Duration?
    /// When the stop ends, as an uptime and in seconds since 1970; nil if the user has not stopped
    /// the device.
    private var stop: (end: Duration, unixTime: Int64)?

    /// Records that the device has fetched an activity.
    ///
    /// - Returns: The number of repeated fetches if the user must be told now; otherwise nil. The
    ///   user is told again only after takeovers have offset all repeated fetches.
    mutating func fetched(_ instance: [UInt8], at uptime: Duration) -> Int? {
        if let last, last + Self.memory <= uptime { forgetFetches() }
        last = uptime
        guard activities.contains(instance) else {
            activities = (activities + [instance]).suffix(Self.maximumActivities)
            return nil
        }
        count += 1
        guard count >= Self.tolerated, !isTold else { return nil }
        isTold = true
        return count
    }

    /// Records that the device has taken an activity over.
    mutating func accepted() {
        count = max(0, count - 1)
        if count == 0 { isTold = false }
    }

    /// Stops the device for an hour, at the user's request.
    mutating func stop(at uptime: Duration, unixTime: Int64) {
        stop = (uptime + Self.stop, unixTime + Self.stop.components.seconds)
    }

    /// Allows the device again, and resets its count.
    ///
    /// - Returns: Whether the device was stopped.
    mutating func allow(at uptime: Duration) -> Bool {
        defer { stop = nil }
        forgetFetches()
        return stopEnd(at: uptime) != nil
    }

    /// Returns when the stop ends, in seconds since 1970, or nil if the device is not stopped.
    func stopEnd(at uptime: Duration) -> Int64? { stop.flatMap { $0.end > uptime ? $0.unixTime : nil } }

    private mutating func forgetFetches() { (activities, count, isTold, last) = ([], 0, false, nil) }
}
