// SPDX-License-Identifier: Apache-2.0

/// A limit on how often an event may happen: a burst at once, and then once in each interval.
///
/// This is the generic cell rate algorithm (ITU-T I.371). Its only state is the time at which the
/// whole burst is available again.
package struct RateLimit: Hashable, Sendable {
    /// The number of events that are allowed at once.
    package let burst: Int
    /// The time after which one more event is allowed.
    package let interval: Duration

    package init(burst: Int, interval: Duration) { (self.burst, self.interval) = (burst, interval) }

    /// The time of the next event, and the state after it.
    package struct Turn {
        /// The uptime from which the event is allowed.
        package let due: Duration
        /// The uptime at which the whole burst is available again after the event.
        package let restored: Duration
    }

    /// Returns the next turn.
    ///
    /// - Parameter restored: The uptime at which the whole burst is available again; nil if there
    ///   was no event yet.
    package func next(after restored: Duration?, at uptime: Duration) -> Turn {
        let next = max(restored ?? uptime, uptime) + interval
        return Turn(due: next - interval * burst, restored: next)
    }
}
