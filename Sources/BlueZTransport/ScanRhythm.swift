// SPDX-License-Identifier: GPL-3.0-or-later

internal import BatonTransport

/// When an adapter listens: all of the time, by turns, or not at all.
///
/// One antenna serves everything, so that listening takes a channel's time: while much goes over
/// channels, there are only short turns.
struct ScanRhythm: Sendable {
    /// How long a turn lasts, and how long after its beginning the next one begins.
    struct Turns: Equatable {
        var length: Duration
        var interval: Duration
    }

    /// While nobody is looking.
    static let sometimes = Turns(length: .seconds(20), interval: .seconds(60))
    /// Where discovery has to serve, which takes the antenna all of the time. The gaps are long
    /// enough for the kernel to look for keyboards and mice that are to be connected again.
    static let byDiscovery = Turns(length: .seconds(4), interval: .seconds(12))
    /// While much goes over channels; the first turn comes last.
    static let besideTraffic = Turns(length: .seconds(2), interval: .seconds(30))

    /// Whether a monitor serves, and not discovery.
    var hasMonitor: Bool
    private var listening = Listening.always
    private var begin: Duration
    /// When the traffic that lasts until ``trafficEnd`` began.
    private var trafficBegin: Duration?
    private var trafficEnd: Duration?

    /// It listens all of the time.
    ///
    /// - Parameter hasMonitor: Whether a monitor is to serve, and not discovery.
    init(hasMonitor: Bool, at now: Duration) {
        self.hasMonitor = hasMonitor
        begin = now
    }

    /// How much it is to listen from now on. What is new begins with a turn.
    mutating func want(_ listening: Listening, at now: Duration) {
        guard listening != self.listening else { return }
        (self.listening, begin) = (listening, now)
    }

    /// Until when much goes over channels, as far as is known; nil where it does not.
    mutating func carry(until end: Duration?, at now: Duration) {
        let lasts = end.map { now < $0 } ?? false
        trafficBegin = lasts ? trafficBegin ?? now : nil
        trafficEnd = lasts ? end : nil
    }

    /// Whether it is to listen.
    func isOn(at now: Duration) -> Bool {
        guard listening != .never else { return false }
        guard let (turns, since) = turns else { return true }
        return Self.passed(in: turns, since: since, at: now) < turns.length
    }

    /// When ``isOn(at:)`` changes next by the passing of time; nil if it does not.
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
        case .sometimes: (Self.sometimes, begin)
        case .usually where !hasMonitor: (Self.byDiscovery, begin)
        default: nil
        }
    }

    /// How much of an interval has passed; before the first turn an interval is under way, too.
    private static func passed(in turns: Turns, since: Duration, at now: Duration) -> Duration {
        let passed = now - since
        return passed - turns.interval * Int((passed / turns.interval).rounded(.down))
    }
}
