// SPDX-License-Identifier: Apache-2.0

import BatonProtocol

/// What apps here have accepted, and other devices may not have heard of, as the channel ended: it
/// is told again, once, over the next.
struct OwedAcceptances: Sendable {
    private struct Entry: Sendable {
        let device: DeviceID
        let acceptance: Acceptance
        /// The uptime at which the other device does not count it any more.
        let end: Duration
    }

    /// How many are remembered; those longest known go first.
    static let maximum = 64
    /// Between two dials to a device that is heard, to tell it.
    static let dialInterval = Duration.seconds(2)

    /// The latest last.
    private var entries: [Entry] = []
    private var lastDials: [DeviceID: Duration] = [:]

    /// How many there are.
    var count: Int { entries.count }
    /// The uptime at which something is to be forgotten; nil while nothing is owed.
    var deadline: Duration? { entries.map(\.end).min() }

    /// An acceptance may not have arrived.
    mutating func insert(_ acceptance: Acceptance, to device: DeviceID, at uptime: Duration) {
        forget(at: uptime)
        entries.append(Entry(device: device, acceptance: acceptance, end: uptime + Session.Limits().report))
        entries = entries.suffix(Self.maximum)
    }

    /// Whether a device is to be dialled now, to be told: counts as a dial.
    mutating func beginDial(to device: DeviceID, at uptime: Duration) -> Bool {
        forget(at: uptime)
        guard entries.contains(where: { $0.device == device }),
            lastDials[device].map({ $0 + Self.dialInterval <= uptime }) ?? true
        else { return false }
        lastDials[device] = uptime
        return true
    }

    /// Forgets what it is too late for.
    mutating func forget(at uptime: Duration) {
        entries.removeAll { $0.end <= uptime }
        lastDials = lastDials.filter { dial in entries.contains { $0.device == dial.key } }
    }

    /// Takes what a device is to be told now.
    mutating func take(for device: DeviceID, at uptime: Duration) -> [Acceptance] {
        let own = entries.filter { $0.device == device && $0.end > uptime }
        entries.removeAll { $0.device == device }
        lastDials[device] = nil
        return own.map(\.acceptance)
    }
}
