// SPDX-License-Identifier: Apache-2.0

import BatonProtocol

/// How often a device may have apps save: at once, and then once in an interval. Its requests that
/// come before wait, and share the next save.
struct SaveTurns {
    /// The time from one save for a device to the next.
    static let interval = Duration.seconds(3)
    /// How many requests of a device may wait: as many as it may have outstanding on one channel.
    static let maximumWaiting = Session.Limits().requests

    private struct Device {
        /// The uptime at which an app was last asked for it.
        let last: Duration
        let waiters = Waiters<Void>()
        var end: Duration { last + SaveTurns.interval }
    }

    private var devices: [DeviceID: Device] = [:]

    /// Of how many devices is known when an app was last asked for them.
    var deviceCount: Int { devices.count }
    /// How many wait.
    var count: Int { devices.values.reduce(0) { $0 + $1.waiters.count } }

    /// What a device's next request waits for, and until which uptime; nil if it is its turn.
    ///
    /// - Throws: ``HandoffError/Code/busy``, when too many requests of the device wait.
    func turn(of device: DeviceID, at uptime: Duration) throws -> (waiters: Waiters<Void>, end: Duration)? {
        guard let entry = devices[device], entry.end > uptime else { return nil }
        guard entry.waiters.count < Self.maximumWaiting else { throw Self.tooMany }
        return (entry.waiters, entry.end)
    }

    /// An app is asked for a device.
    mutating func take(by device: DeviceID, at uptime: Duration) {
        devices = devices.filter { $0.value.end > uptime || $0.value.waiters.count > 0 }
        devices[device] = Device(last: uptime)
    }

    /// Nobody waits any more.
    func endAll() { for device in devices.values { device.waiters.resolve(with: .success(())) } }

    private static let tooMany = HandoffError(
        .busy, "this device waits for the contents too often already; try again in a few seconds")
}
