// SPDX-License-Identifier: Apache-2.0

import BatonProtocol

/// The probes under way, by programs here and by other devices: who listens for a device meanwhile,
/// which channels are only tried, and until when this device is to be heard.
struct Probes: Sendable {
    /// How often a device may probe this one: each probe has it advertise, and dial.
    static let limit = RateLimit(burst: 10, interval: .seconds(600))
    /// How long this device is to be heard after another one's probe has begun, which looks for it
    /// for ten seconds; who is to be hailed has to wait for so long.
    static let lastingOnAir = Duration.seconds(20)

    private var own = 0
    private var audibleUntil = Duration.zero
    /// When all that a device has spent will have come back.
    private var restored: [DeviceID: Duration] = [:]
    private var listeners: [(device: DeviceID, arrival: Waiters<Void>)] = []
    /// The channels that are only tried, from either side.
    private(set) var trials: [SecureChannel] = []

    /// How much is remembered.
    var count: Int { own + listeners.count + restored.count + trials.count }

    /// Whether this device is to be heard.
    func isAudible(at uptime: Duration) -> Bool { own > 0 || audibleUntil > uptime }

    /// When ``forget(at:)`` is due.
    func nextDeadline(at uptime: Duration) -> Duration? {
        (restored.values + [audibleUntil]).filter { $0 > uptime }.min()
    }

    /// Forgets what is over.
    mutating func forget(at uptime: Duration) { restored = restored.filter { $0.value > uptime } }

    /// Forgets who is no member any more.
    mutating func keep(where isMember: (DeviceID) -> Bool) { restored = restored.filter { isMember($0.key) } }

    /// A program here begins to probe a device.
    mutating func begin() { own += 1 }

    /// It is done.
    mutating func end() { own -= 1 }

    /// A device probes this one.
    ///
    /// - Returns: Whether it is served.
    mutating func serve(_ device: DeviceID, at uptime: Duration) -> Bool {
        forget(at: uptime)
        let turn = Self.limit.next(after: restored[device], at: uptime)
        guard turn.due <= uptime else { return false }
        restored[device] = turn.restored
        audibleUntil = uptime + Self.lastingOnAir
        return true
    }

    /// Somebody listens for a device.
    ///
    /// - Returns: What is resolved when it is heard.
    mutating func listen(for device: DeviceID) -> Waiters<Void> {
        let arrival = Waiters<Void>()
        listeners.append((device, arrival))
        return arrival
    }

    /// Nobody listens for this any more.
    mutating func endListening(_ arrival: Waiters<Void>) { listeners.removeAll { $0.arrival === arrival } }

    /// A device is heard.
    func heard(_ device: DeviceID) {
        for listener in listeners where listener.device == device { listener.arrival.resolve(with: .success(())) }
    }

    /// Nobody is heard any more.
    func giveUp() {
        for listener in listeners { listener.arrival.resolve(with: .failure(CancellationError())) }
    }

    /// A channel is only tried.
    mutating func begin(_ trial: SecureChannel) { trials.append(trial) }

    /// It has closed.
    mutating func ended(_ trial: SecureChannel) { trials.removeAll { $0 === trial } }
}
