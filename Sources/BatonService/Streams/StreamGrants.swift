// SPDX-License-Identifier: Apache-2.0

import BatonProtocol

/// The devices that may open streams to activities of this device: those that have fetched them.
struct StreamGrants: Sendable {
    /// The most activities that are remembered for a device. The oldest are forgotten first.
    static let maximumActivities = 64
    /// How often a device may ask for more streams than it has fetched activities.
    ///
    /// The burst is the number of streams that it may have open.
    static let limit = RateLimit(burst: StreamLimits.maximumPerDevice, interval: .seconds(1))

    /// The activities that a device has fetched, and whether it has yet to open their streams.
    ///
    /// Unused fetches do not add up.
    private var fetched: [DeviceID: [(instance: [UInt8], isUnused: Bool)]] = [:]
    private var spent = SpentTurns<DeviceID>(limit)

    /// The number of devices that have fetched an activity.
    var count: Int { fetched.count }

    /// Records that a device has fetched an activity.
    mutating func fetched(_ instance: [UInt8], by device: DeviceID) {
        var activities = fetched[device] ?? []
        activities.removeAll { $0.instance == instance }
        fetched[device] = activities.suffix(Self.maximumActivities - 1) + [(instance, true)]
    }

    /// Returns whether a device has fetched an activity.
    func hasFetched(_ instance: [UInt8], _ device: DeviceID) -> Bool {
        fetched[device]?.contains { $0.instance == instance } == true
    }

    /// Returns whether a device may ask for streams now.
    ///
    /// - Parameter account: The device whose limit is used if it has already opened streams since
    ///   it fetched the activity.
    mutating func take(
        _ instance: [UInt8], by device: DeviceID, of account: DeviceID, at uptime: Duration
    ) -> Bool {
        fetched[device]?.contains { $0.instance == instance && $0.isUnused } == true
            || spent.take(account, at: uptime)
    }

    /// Records that a device has opened streams to an activity that it has fetched.
    ///
    /// - Returns: Whether it had already opened streams since it fetched the activity.
    mutating func opened(_ instance: [UInt8], by device: DeviceID) -> Bool {
        guard let index = fetched[device]?.firstIndex(where: { $0.instance == instance }) else { return true }
        defer { fetched[device]?[index].isUnused = false }
        return fetched[device]?[index].isUnused != true
    }

    /// Forgets the devices that do not match.
    mutating func keep(where isKept: (DeviceID) -> Bool) { fetched = fetched.filter { isKept($0.key) } }
}
