// SPDX-License-Identifier: Apache-2.0

import BatonProtocol

/// The probes under way, by this device's programs and by other devices.
///
/// Also records the devices that probes listen for, the channels that only test a transport, and
/// how long this device must be on the air.
struct Probes: Sendable {
    /// How often a device may probe this device. Each probe makes this device advertise and dial.
    static let limit = RateLimit(burst: 10, interval: .seconds(600))
    /// How long this device stays on the air after another device's probe has begun.
    ///
    /// The other device listens for ten seconds. While this device stays on the air, its own hails
    /// wait.
    static let lastingOnAir = Duration.seconds(20)

    private var own = 0
    private var audibleUntil = Duration.zero
    private var listeners: [(device: DeviceID, arrival: Waiters<Void>)] = []
    let trials = TrialChannels()

    /// The number of this device's own probes, of tasks that listen for a device, and of test
    /// channels.
    var count: Int { own + listeners.count + trials.count }

    /// Returns whether this device must be on the air because of a probe.
    func isAudible(at uptime: Duration) -> Bool { own > 0 || audibleUntil > uptime }

    /// Returns the uptime at which this device may go off the air; nil if no other device's probe
    /// keeps it on the air.
    func deadline(at uptime: Duration) -> Duration? { audibleUntil > uptime ? audibleUntil : nil }

    /// Records that a program of this device begins to probe another device.
    mutating func begin() { own += 1 }

    /// Records that a program's probe has ended.
    mutating func end() { own -= 1 }

    /// Begins to serve another device's probe.
    mutating func serve(at uptime: Duration) { audibleUntil = uptime + Self.lastingOnAir }

    /// Begins to listen for a device.
    ///
    /// - Returns: The waiters to resolve when the device is heard.
    mutating func listen(for device: DeviceID) -> Waiters<Void> {
        let arrival = Waiters<Void>()
        listeners.append((device, arrival))
        return arrival
    }

    mutating func endListening(_ arrival: Waiters<Void>) { listeners.removeAll { $0.arrival === arrival } }

    /// Wakes the tasks that listen for a device, because it was heard.
    func heard(_ device: DeviceID) {
        for listener in listeners where listener.device == device { listener.arrival.resolve(with: .success(())) }
    }

    /// Fails all tasks that listen for a device with `CancellationError`.
    func giveUp() {
        for listener in listeners { listener.arrival.resolve(with: .failure(CancellationError())) }
    }
}
