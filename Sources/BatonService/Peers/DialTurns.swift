// SPDX-License-Identifier: Apache-2.0

import BatonProtocol

/// Decides when another device may be dialled although no program of this device asks for it.
///
/// An advertisement may be a stranger's copy, so advertisements must not cause dials without limit.
struct DialTurns: Sendable {
    /// The minimum time between two dials that the device's advertisements, or copies of them,
    /// cause.
    static let syncInterval = Duration.seconds(600)
    /// The time until the next dial if this device had no free file descriptor for the last dial.
    static let pauseWithoutDescriptors = Duration.seconds(30)

    /// The uptime of the last dial because of a beacon with another clock's time.
    private var byClock: Duration?
    /// The uptime of the last dial because the device perhaps does not know the current circle.
    private var sync: Duration?
    /// The uptime of the last dial because the device hailed.
    private var hail: Duration?
    /// The limit on dials because the device seems to be near, or nil while there is none.
    private var near: DialPace?
    /// The limit on dials after the device's connection was lost.
    private var loss = LossPace()

    /// Returns whether to dial the device because of a beacon with another clock's time. These
    /// dials and the dials for hails and current beacons do not delay each other.
    mutating func takeByClock(at uptime: Duration) -> Bool { Self.take(&byClock, at: uptime) }

    /// Returns whether to dial the device because it perhaps does not know the current circle.
    mutating func takeSync(at uptime: Duration) -> Bool { Self.take(&sync, at: uptime) }

    /// Returns whether to dial the device because it hailed. Earlier dials for other reasons do not
    /// delay this dial.
    mutating func takeHail(at uptime: Duration) -> Bool { Self.take(&hail, at: uptime) }

    /// Returns whether to dial the device because it seems to be near.
    mutating func takeNear(at uptime: Duration) -> Bool {
        var pace = near ?? DialPace()
        defer { near = pace }
        return pace.dial(at: uptime)
    }

    /// Removes the limit on dials to a device that seemed to be near and has answered.
    mutating func nearSucceeded() { near = nil }

    /// Records that no file descriptor was free for a dial. Another dial is allowed after
    /// ``pauseWithoutDescriptors`` instead of ``syncInterval``.
    mutating func wasNotDialled(at uptime: Duration) { allow(from: uptime + Self.pauseWithoutDescriptors) }

    /// Records that the device's channel ended without Goodbye. The device had proved its identity
    /// on that channel, so the dial was not caused by a replay and does not count.
    ///
    /// - Returns: The uptime from which the device may be dialled again, or nil if its connection
    ///   was lost too often (``LossPace``).
    mutating func lost(at uptime: Duration) -> Duration? {
        guard let due = loss.lost(at: uptime) else { return nil }
        allow(from: due)
        return due
    }

    /// Allows dials for hails and for the circle again, because the circle has changed.
    mutating func forgetSyncs() { (sync, hail) = (nil, nil) }

    /// Allows dials for hails, for the circle and for nearness again, because this device has a new
    /// identity.
    mutating func forget() {
        forgetSyncs()
        near = nil
    }

    private static func take(_ last: inout Duration?, at uptime: Duration) -> Bool {
        if let last, uptime - last < syncInterval { return false }
        last = uptime
        return true
    }

    /// Allows dials from an uptime on, however recent the last dials were.
    private mutating func allow(from uptime: Duration) {
        let latest = uptime - Self.syncInterval
        byClock = byClock.map { min($0, latest) }
        sync = sync.map { min($0, latest) }
        hail = hail.map { min($0, latest) }
    }
}
