// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import Diagnosis

/// Limits how often another device may make apps save. The first request is served at once, and
/// later requests once per ``interval``.
///
/// Requests that come before the interval ends wait, and share the next save.
struct SaveTurns {
    /// The minimum time between two saves for one device.
    static let interval = Duration.seconds(3)
    /// The maximum number of a device's waiting requests, which is as many as one channel allows
    /// at once.
    static let maximumWaiting = Session.Limits().requests

    private struct Device {
        /// The uptime at which an app was last asked to save for the device.
        let last: Duration
        let waiters = Waiters<Void>()
        var end: Duration { last + SaveTurns.interval }
    }

    private var devices: [DeviceID: Device] = [:]

    /// The number of devices for which an app was asked to save.
    var deviceCount: Int { devices.count }
    /// The number of requests that wait.
    var count: Int { devices.values.reduce(0) { $0 + $1.waiters.count } }

    /// Returns the waiters that a device's request must join and the uptime at which they are
    /// resumed; nil if it is the device's turn now.
    ///
    /// - Throws: ``HandoffError/Code/busy`` if too many requests of the device wait.
    func turn(of device: DeviceID, at uptime: Duration) throws -> (waiters: Waiters<Void>, end: Duration)? {
        guard let entry = devices[device], entry.end > uptime else { return nil }
        guard entry.waiters.count < Self.maximumWaiting else { throw Self.tooMany }
        return (entry.waiters, entry.end)
    }

    /// Records that an app is asked to save for a device.
    mutating func take(by device: DeviceID, at uptime: Duration) {
        devices = devices.filter { $0.value.end > uptime || $0.value.waiters.count > 0 }
        devices[device] = Device(last: uptime)
    }

    /// Resumes all waiting requests.
    func endAll() { for device in devices.values { device.waiters.resolve(with: .success(())) } }

    private static let tooMany = HandoffError(.busy, .tooManyRequests)
}
