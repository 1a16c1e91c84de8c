// SPDX-License-Identifier: Apache-2.0

import TransportModel

/// Watches whether the present channel of a pair of streams has stalled.
///
/// The watch asks for a ``ChannelDelivery`` only while bytes wait, so streams at rest cause no
/// wake-ups.
struct DeliveryWatch: Sendable {
    /// The longest time between two looks at the channel.
    static let interval = Duration.milliseconds(250)
    /// The time after a report of a stall in which acknowledgements and frames prove nothing,
    /// because they may have been sent before the stall.
    static let grace = Duration.milliseconds(250)
    /// How late a look must be to show that this program did not run, for example because the
    /// laptop or the program was stopped.
    static let absence = Duration.seconds(1)

    /// The reason why a channel counts as stalled.
    enum Stall: Hashable, Sendable {
        /// Bytes have waited in silence for too long.
        case silent
        /// The system or the peer has reported the stall at an uptime.
        case reported(at: Duration)
    }

    /// A change between a channel that works and one that has stalled.
    enum Change: Hashable, Sendable {
        case stalled
        case recovered
    }

    /// The reason why the channel counts as stalled; `nil` if it does not.
    private(set) var stall: Stall?
    /// The uptime of the next look; `nil` if nothing waits.
    private(set) var nextLook: Duration?
    /// The uptime since which each look has found that bytes wait.
    private var waitingSince: Duration?

    /// Records that a frame was sent on the channel.
    mutating func sent(at now: Duration) {
        guard nextLook == nil else { return }
        (nextLook, waitingSince) = (now + Self.interval, now)
    }

    /// Returns whether to look at the channel now.
    ///
    /// The time in which this program did not run is no silence of the channel.
    mutating func isDue(at now: Duration) -> Bool {
        guard let nextLook, nextLook <= now else { return false }
        if stall == nil, now - nextLook >= Self.absence { waitingSince = now }
        self.nextLook = now + Self.interval
        return true
    }

    /// Processes the result of a look.
    mutating func saw(_ delivery: ChannelDelivery?, at now: Duration) -> Change? {
        guard let delivery, delivery.isWaiting else {
            (nextLook, waitingSince) = (nil, nil)
            return stall == .silent ? recovered() : nil
        }
        let since = waitingSince ?? now
        waitingSince = since
        // The last acknowledgement may be older than the bytes that wait now.
        let left = delivery.patience - min(delivery.silence, now - since)
        nextLook = now + (left > .zero ? min(left, Self.interval) : Self.interval)
        switch stall {
        case nil where left <= .zero:
            stall = .silent
            return .stalled
        case .silent where left > .zero: return recovered()
        case .reported: return proof(at: now - delivery.silence)
        default: return nil
        }
    }

    /// Records that the channel has stalled, although no look has shown it.
    ///
    /// - Returns: Whether that is news.
    mutating func reported(at now: Duration) -> Bool {
        guard stall == nil else { return false }
        stall = .reported(at: now)
        return true
    }

    /// Processes a frame or an acknowledgement from the peer, which shows that the channel works.
    mutating func proof(at uptime: Duration) -> Change? {
        guard case .reported(let reported) = stall, uptime > reported + Self.grace else { return nil }
        return recovered()
    }

    private mutating func recovered() -> Change {
        stall = nil
        return .recovered
    }
}
