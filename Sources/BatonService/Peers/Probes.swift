// SPDX-License-Identifier: Apache-2.0

import BatonProtocol

/// The probes under way, by programs here and by other devices: who listens for a device meanwhile,
/// and until when this one is to be heard.
struct Probes: Sendable {
    /// How often a device may probe this one within ``interval``: each has it advertise, and dial.
    static let maximumPerInterval = 3
    static let interval = Duration.seconds(180)
    /// How long this device is to be heard after another one's probe has begun, which looks for it
    /// once it has been answered.
    static let lastingOnAir = Duration.seconds(45)

    private var own = 0
    private var audibleUntil = Duration.zero
    private var served: [DeviceID: [Duration]] = [:]
    private var listeners: [(device: DeviceID, arrival: Waiters<Void>)] = []

    /// How much is remembered.
    var count: Int { own + listeners.count + served.count }

    /// Whether this device is to be heard.
    func isAudible(at uptime: Duration) -> Bool { own > 0 || audibleUntil > uptime }

    /// When ``isAudible(at:)`` may change by itself.
    func nextDeadline(at uptime: Duration) -> Duration? { audibleUntil > uptime ? audibleUntil : nil }

    /// A program here begins to probe a device.
    mutating func begin() { own += 1 }

    /// It is done.
    mutating func end() { own -= 1 }

    /// A device probes this one.
    ///
    /// - Returns: Whether it is served.
    mutating func serve(_ device: DeviceID, at uptime: Duration) -> Bool {
        served = served.compactMapValues { times in
            let recent = times.filter { uptime - $0 < Self.interval }
            return recent.isEmpty ? nil : recent
        }
        guard served[device, default: []].count < Self.maximumPerInterval else { return false }
        served[device, default: []].append(uptime)
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
}
