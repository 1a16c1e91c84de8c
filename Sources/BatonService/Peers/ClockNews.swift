// SPDX-License-Identifier: Apache-2.0

import BatonProtocol

/// When a change of another device's clock leads to more than being remembered: to a line of the
/// log, a hello, and another look at the beacons that nothing opened.
///
/// A device may say another time in each hello. Once in ten minutes that leads to something; a
/// change in that time does so at its end.
struct ClockNews: Sendable {
    static let limit = RateLimit(burst: 1, interval: .seconds(600))

    private var spent = SpentTurns<DeviceID>(limit)
    /// When what changed since leads to something.
    private var owed: [DeviceID: Duration] = [:]

    /// When ``takeDue(at:)`` has something.
    var deadline: Duration? { owed.values.min() }
    /// Of how many devices a change waits.
    var count: Int { owed.count }

    /// A device's clock shows another time.
    ///
    /// - Returns: Whether that leads to something now.
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

    /// Forgets devices that are no members.
    mutating func membersChanged(_ members: Set<DeviceID>) { owed = owed.filter { members.contains($0.key) } }
}
