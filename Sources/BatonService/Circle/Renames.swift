// SPDX-License-Identifier: Apache-2.0

import BatonProtocol

/// Limits how often other devices' new names are accepted.
///
/// Each name writes a file, and is news for every connected device. A device's name takes effect at
/// once if it had no other for ten minutes. Its next name waits for the end of that time. Of
/// several names only the last counts.
struct Renames: Sendable {
    static let limit = RateLimit(burst: 1, interval: .seconds(600))

    private var spent = SpentTurns<DeviceID>(limit)
    /// The news with the devices' new names that wait.
    private var waiting: [DeviceID: CircleNews] = [:]

    /// The uptime at which ``takeDue(at:)`` returns a name.
    var deadline: Duration? { waiting.keys.map { spent.due($0, at: .zero) }.min() }
    /// The number of names that wait.
    var count: Int { waiting.count }

    /// Returns the devices whose next new name has to wait.
    func held(at uptime: Duration) -> Set<DeviceID> { spent.waiting(at: uptime).union(waiting.keys) }

    /// Records that devices have changed their names.
    mutating func renamed(_ devices: Set<DeviceID>, at uptime: Duration) {
        for device in devices { _ = spent.take(device, at: uptime) }
    }

    /// Keeps a device's newer name until it is due.
    ///
    /// - Parameters:
    ///   - naming: The news that the device is said to have signed.
    ///   - circle: The circle, which checks the signature.
    mutating func keep(_ naming: CircleNews, of device: DeviceID, for circle: Circle, by identity: DeviceIdentity) {
        var later = circle
        if let former = waiting[device] { _ = try? later.merge(former, by: identity) }
        if (try? later.merge(naming, by: identity)) == true { waiting[device] = naming }
    }

    /// Returns the names that have waited long enough.
    mutating func takeDue(at uptime: Duration) -> [CircleNews] {
        let due = waiting.keys.filter { spent.due($0, at: uptime) <= uptime }.sorted()
        return due.compactMap { waiting.removeValue(forKey: $0) }
    }

    /// Forgets devices that are not members of the circle.
    mutating func keep(where isMember: (DeviceID) -> Bool) { waiting = waiting.filter { isMember($0.key) } }
}
