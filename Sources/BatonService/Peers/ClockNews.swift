// SPDX-License-Identifier: Apache-2.0

import BatonProtocol

/// Limits how often a change of another device's clock has effects beyond being remembered: a line
/// of the log, a hello, and a second attempt to open unknown beacons.
///
/// A device may report another time in each hello. A change has these effects at most once in ten
/// minutes, and a change within that time has them at its end.
struct ClockNews: Sendable {
    static let limit = RateLimit(burst: 1, interval: .seconds(600))

    private var spent = SpentTurns<DeviceID>(limit)
    /// The uptimes at which the changes of devices take effect.
    private var owed: [DeviceID: Duration] = [:]

    /// The uptime at which ``takeDue(at:)`` returns a device.
    var deadline: Duration? { owed.values.min() }
    /// The number of devices whose changes wait.
    var count: Int { owed.count }

    /// Records that a device's clock shows another time.
    ///
    /// - Returns: Whether the change takes effect now.
    mutating func changed(_ device: DeviceID, at uptime: Duration) -> Bool {
        guard owed[device] == nil else { return false }
        guard !spent.take(device, at: uptime) else { return true }
        owed[device] = spent.due(device, at: uptime)
        return false
    }

    /// Returns the devices whose changes are due, and forgets them.
    mutating func takeDue(at uptime: Duration) -> [DeviceID] {
        let due = owed.filter { $0.value <= uptime }.keys.sorted().filter { spent.take($0, at: uptime) }
        for device in due { owed[device] = nil }
        return due
    }

    /// Forgets devices that are not members of the circle.
    mutating func membersChanged(_ members: Set<DeviceID>) { owed = owed.filter { members.contains($0.key) } }
}
