// SPDX-License-Identifier: Apache-2.0

import BatonProtocol

/// Which devices may open streams to which activities of this device: those that have fetched them.
struct StreamGrants: Sendable {
    /// How many activities are known of a device; those fetched first go first.
    static let maximumActivities = 64
    /// How often a device may ask for more streams than it has fetched activities: as many at once
    /// as it may have open.
    static let limit = RateLimit(burst: StreamLimits.maximumPerDevice, interval: .seconds(1))

    /// What a device has fetched, and whether it has yet to open the streams that belong to its
    /// last fetch: what is not used does not add up.
    private var fetched: [DeviceID: [(instance: [UInt8], isUnused: Bool)]] = [:]
    private var spent = SpentTurns<DeviceID>(limit)

    /// Of how many devices something is known.
    var count: Int { fetched.count }

    /// A device has fetched an activity.
    mutating func fetched(_ instance: [UInt8], by device: DeviceID) {
        var activities = fetched[device] ?? []
        activities.removeAll { $0.instance == instance }
        fetched[device] = activities.suffix(Self.maximumActivities - 1) + [(instance, true)]
    }

    /// Whether a device has fetched an activity.
    func hasFetched(_ instance: [UInt8], _ device: DeviceID) -> Bool {
        fetched[device]?.contains { $0.instance == instance } == true
    }

    /// Whether a device may ask for streams now.
    ///
    /// - Parameter account: To whose account it goes if it has opened streams already since it has
    ///   fetched the activity.
    mutating func take(
        _ instance: [UInt8], by device: DeviceID, of account: DeviceID, at uptime: Duration
    ) -> Bool {
        fetched[device]?.contains { $0.instance == instance && $0.isUnused } == true
            || spent.take(account, at: uptime)
    }

    /// A device has opened streams to an activity that it has fetched.
    ///
    /// - Returns: Whether it had opened streams already since it has fetched it.
    mutating func opened(_ instance: [UInt8], by device: DeviceID) -> Bool {
        guard let index = fetched[device]?.firstIndex(where: { $0.instance == instance }) else { return true }
        defer { fetched[device]?[index].isUnused = false }
        return fetched[device]?[index].isUnused != true
    }

    /// Of other devices nothing is kept.
    mutating func keep(where isKept: (DeviceID) -> Bool) { fetched = fetched.filter { isKept($0.key) } }
}
