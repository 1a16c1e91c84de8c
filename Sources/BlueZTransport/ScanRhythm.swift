// SPDX-License-Identifier: GPL-3.0-or-later

internal import BatonTransport

/// Decides when an adapter listens: always, at intervals, or never.
///
/// Scanning and channels share one antenna, so listening slows channels down. While channels carry
/// much data, the adapter listens only for short turns.
struct ScanRhythm: Sendable {
    /// The length of a turn, and the time from the start of one turn to the start of the next.
    struct Turns: Equatable {
        var length: Duration
        var interval: Duration
    }

    /// The turns for ``Listening/sometimes`` with a monitor, while the user is not looking or links
    /// show the offers.
    static let sometimes = Turns(length: .seconds(20), interval: .seconds(60))
    /// The turns for ``Listening/sometimes`` without a monitor. They are a third of the turns of
    /// ``byDiscovery``.
    static let sometimesByDiscovery = Turns(length: .seconds(4), interval: .seconds(36))
    /// The turns of an adapter without a monitor. Without turns, discovery would use the antenna
    /// all the time.
    ///
    /// The gaps between the turns are long enough for the kernel to look for keyboards and mice
    /// that should reconnect.
    static let byDiscovery = Turns(length: .seconds(4), interval: .seconds(12))
    /// The turns while channels carry much data. Each turn is at the end of its interval.
    static let besideTraffic = Turns(length: .seconds(2), interval: .seconds(30))

    /// Whether the adapter listens with a monitor instead of discovery.
    var hasMonitor: Bool
    private var listening = Listening.always
    private var begin: Duration
    /// The uptime at which the traffic that lasts until ``trafficEnd`` began.
    private var trafficBegin: Duration?
    private var trafficEnd: Duration?

    /// Creates a rhythm that listens all the time.
    ///
    /// - Parameter hasMonitor: Whether the adapter listens with a monitor instead of discovery.
    init(hasMonitor: Bool, at now: Duration) {
        self.hasMonitor = hasMonitor
        begin = now
    }

    /// Changes how much to listen. A new value begins with a turn.
    mutating func want(_ listening: Listening, at now: Duration) {
        guard listening != self.listening else { return }
        (self.listening, begin) = (listening, now)
    }

    /// Sets the expected end of the current traffic, or `nil` if there is none.
    mutating func carry(until end: Duration?, at now: Duration) {
        let lasts = end.map { now < $0 } ?? false
        trafficBegin = lasts ? trafficBegin ?? now : nil
        trafficEnd = lasts ? end : nil
    }

    /// Returns whether the adapter should listen at a time.
    func isOn(at now: Duration) -> Bool {
        guard listening != .never else { return false }
        guard let (turns, since) = turns else { return true }
        return Self.passed(in: turns, since: since, at: now) < turns.length
    }

    /// Returns the uptime at which ``isOn(at:)`` may change next, or `nil` if the result does not
    /// change by itself.
    func nextChange(after now: Duration) -> Duration? {
        guard listening != .never else { return nil }
        let change = turns.map { turns, since in
            let passed = Self.passed(in: turns, since: since, at: now)
            return now + (passed < turns.length ? turns.length : turns.interval) - passed
        }
        return [change, trafficEnd].compactMap(\.self).min()
    }

    private var turns: (Turns, since: Duration)? {
        if let trafficBegin {
            return (Self.besideTraffic, trafficBegin + Self.besideTraffic.interval - Self.besideTraffic.length)
        }
        return switch listening {
        case .sometimes: (hasMonitor ? Self.sometimes : Self.sometimesByDiscovery, begin)
        case .usually where !hasMonitor: (Self.byDiscovery, begin)
        default: nil
        }
    }

    /// Returns how much of the current interval has passed. Also works for times before the first
    /// turn.
    private static func passed(in turns: Turns, since: Duration, at now: Duration) -> Duration {
        let passed = now - since
        return passed - turns.interval * Int((passed / turns.interval).rounded(.down))
    }
}
