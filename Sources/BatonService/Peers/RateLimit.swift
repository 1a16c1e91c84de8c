// SPDX-License-Identifier: Apache-2.0

/// How often something may be done: so many times at once, after a rest, and then once in an
/// interval. The generic cell rate algorithm (ITU-T I.371), whose state is a time: when all that
/// was spent will have come back.
package struct RateLimit: Sendable {
    /// How many times at once.
    package let burst: Int
    /// The time after which once more.
    package let interval: Duration

    /// A limit.
    package init(burst: Int, interval: Duration) { (self.burst, self.interval) = (burst, interval) }

    /// One more time.
    struct Turn {
        /// The uptime from which on it may be done.
        let due: Duration
        /// When all will have come back, if it is done.
        let restored: Duration
    }

    /// The next time.
    ///
    /// - Parameter restored: When all that was spent will have come back; nil when nothing was.
    func next(after restored: Duration?, at uptime: Duration) -> Turn {
        let next = max(restored ?? uptime, uptime) + interval
        return Turn(due: next - interval * burst, restored: next)
    }
}
