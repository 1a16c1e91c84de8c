// SPDX-License-Identifier: Apache-2.0

import BatonProtocol

/// How often other devices' new names are taken in: each name is a file to be written, and news for
/// every device in touch.
///
/// A device's name counts at once, if it has had no other for ten minutes. Its next one waits for
/// the end of these; of several the last counts.
struct Renames: Sendable {
    static let limit = RateLimit(burst: 1, interval: .seconds(600))

    private var spent = SpentTurns<DeviceID>(limit)
    /// How devices have named themselves since.
    private var waiting: [DeviceID: CircleNews] = [:]

    /// When ``takeDue(at:)`` has something.
    var deadline: Duration? { waiting.keys.map { spent.due($0, at: .zero) }.min() }
    /// How many names wait.
    var count: Int { waiting.count }

    /// The devices whose new names wait.
    func held(at uptime: Duration) -> Set<DeviceID> { spent.waiting(at: uptime).union(waiting.keys) }

    /// Devices have other names now.
    mutating func renamed(_ devices: Set<DeviceID>, at uptime: Duration) {
        for device in devices { _ = spent.take(device, at: uptime) }
    }

    /// Keeps a device's newer name until it is due.
    ///
    /// - Parameters:
    ///   - naming: What the device is said to have signed.
    ///   - circle: The circle, which judges that.
    mutating func keep(_ naming: CircleNews, of device: DeviceID, for circle: Circle, by identity: DeviceIdentity) {
        var later = circle
        if let former = waiting[device] { _ = try? later.merge(former, by: identity) }
        if (try? later.merge(naming, by: identity)) == true { waiting[device] = naming }
    }

    /// The names that have waited for long enough.
    mutating func takeDue(at uptime: Duration) -> [CircleNews] {
        let due = waiting.keys.filter { spent.due($0, at: uptime) <= uptime }.sorted()
        return due.compactMap { waiting.removeValue(forKey: $0) }
    }

    /// Forgets devices that are no members.
    mutating func keep(where isMember: (DeviceID) -> Bool) { waiting = waiting.filter { isMember($0.key) } }
}
