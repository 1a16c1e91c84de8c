// SPDX-License-Identifier: Apache-2.0

import BatonProtocol

/// The activities of this device to which another device may open streams: those that it has
/// fetched.
struct StreamGrants: Sendable {
    /// The maximum number of remembered activities. The oldest activities are forgotten first.
    static let maximumActivities = 64
    /// How often a device may ask for further streams to an activity that it has fetched.
    ///
    /// The burst is the number of streams that the device may have open.
    static let limit = RateLimit(burst: StreamLimits.maximumPerDevice, interval: .seconds(1))

    /// The fetched activities, and whether the device has opened no streams to them yet.
    ///
    /// Several unused fetches of one activity count as one.
    private var fetched: [(instance: [UInt8], isUnused: Bool)] = []
    /// How often the devices that share this member's account have asked for further streams.
    var use = LimitUse(limit)

    /// Whether no activity was fetched.
    var isEmpty: Bool { fetched.isEmpty }

    /// Records that the device has fetched an activity.
    mutating func fetched(_ instance: [UInt8]) {
        fetched.removeAll { $0.instance == instance }
        fetched = fetched.suffix(Self.maximumActivities - 1) + [(instance, true)]
    }

    /// Returns whether the device has fetched an activity.
    func hasFetched(_ instance: [UInt8]) -> Bool { fetched.contains { $0.instance == instance } }

    /// Returns whether the device has fetched an activity and has opened no streams to it since.
    func isUnused(_ instance: [UInt8]) -> Bool { fetched.contains { $0.instance == instance && $0.isUnused } }

    /// Records that the device has opened streams to an activity that it has fetched.
    ///
    /// - Returns: Whether the streams count as another fetch: the device had already opened some
    ///   since the last fetch, or that fetch is no longer remembered.
    mutating func opened(_ instance: [UInt8]) -> Bool {
        guard let index = fetched.firstIndex(where: { $0.instance == instance }) else { return true }
        defer { fetched[index].isUnused = false }
        return !fetched[index].isUnused
    }
}
