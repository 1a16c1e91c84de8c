// SPDX-License-Identifier: Apache-2.0

import BatonProtocol

/// Limits how often a change of another device's clock causes a line in the log, a hello, and a
/// second attempt to open unknown beacons.
///
/// A device may report another time in each hello. A change has these effects at most once in ten
/// minutes. A change that comes earlier takes effect when the ten minutes are over.
struct ClockNewsPace: Sendable {
    static let limit = RateLimit(burst: 1, interval: .seconds(600))

    private var use = LimitUse(limit)
    /// The uptime at which a change takes effect; nil if none waits.
    private(set) var deadline: Duration?

    /// Records that the device's clock shows another time.
    ///
    /// - Returns: Whether the change takes effect now.
    mutating func changed(at uptime: Duration) -> Bool {
        guard deadline == nil else { return false }
        guard !use.take(at: uptime) else { return true }
        deadline = use.due(at: uptime)
        return false
    }

    /// Returns whether a waiting change takes effect now. If so, forgets the change.
    mutating func takeDue(at uptime: Duration) -> Bool {
        guard let deadline, deadline <= uptime, use.take(at: uptime) else { return false }
        self.deadline = nil
        return true
    }
}
