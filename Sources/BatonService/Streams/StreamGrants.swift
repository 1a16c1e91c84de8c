// SPDX-License-Identifier: Apache-2.0

import BatonProtocol

/// Which devices may open streams to which activities of this device: those that have fetched them.
struct StreamGrants: Sendable {
    /// How many activities are known of a device; those fetched first go first.
    static let maximumActivities = 64
    /// How often a device may ask for streams: as many at once as it may have open, and then as
    /// often as it may have an app save.
    static let limit = RateLimit(burst: StreamLimits.maximumPerDevice, interval: SaveTurns.interval)

    /// What a device has fetched, and how often it may yet open streams that belong to a fetch.
    private var fetched: [DeviceID: [(instance: [UInt8], unused: Int)]] = [:]
    private var spent = SpentTurns<DeviceID>(limit)

    /// Of how many devices something is known.
    var count: Int { fetched.count }

    /// A device has fetched an activity.
    mutating func fetched(_ instance: [UInt8], by device: DeviceID) {
        var activities = fetched[device] ?? []
        let unused = activities.first { $0.instance == instance }?.unused ?? 0
        activities.removeAll { $0.instance == instance }
        fetched[device] = activities.suffix(Self.maximumActivities - 1) + [(instance, unused + 1)]
    }

    /// Whether a device has fetched an activity.
    func hasFetched(_ instance: [UInt8], _ device: DeviceID) -> Bool {
        fetched[device]?.contains { $0.instance == instance } == true
    }

    /// Whether a device may ask for streams now, which counts.
    mutating func take(_ device: DeviceID, at uptime: Duration) -> Bool { spent.take(device, at: uptime) }

    /// A device has opened streams to an activity that it has fetched.
    ///
    /// - Returns: Whether it had opened streams already for each time that it has fetched it.
    mutating func opened(_ instance: [UInt8], by device: DeviceID) -> Bool {
        guard let index = fetched[device]?.firstIndex(where: { $0.instance == instance }) else { return true }
        guard fetched[device]?[index].unused != 0 else { return true }
        fetched[device]?[index].unused -= 1
        return false
    }

    /// Of other devices nothing is kept.
    mutating func keep(where isKept: (DeviceID) -> Bool) { fetched = fetched.filter { isKept($0.key) } }
}
