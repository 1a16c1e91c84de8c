// SPDX-License-Identifier: Apache-2.0

/// Whether a device has come near, by its signal: once, and not because the signal trembles at the threshold.
///
/// The signal has to reach the threshold and then stay above the lower edge for ``delay``. What went off does so again only after the
/// signal was below the lower edge. No clock: times come in.
public struct NearTrigger: Sendable {
    /// How long a device has to be near.
    public static let delay = Duration.seconds(3)
    /// How far the signal may fall below the threshold meanwhile, in dB.
    public static let hysteresis = 8

    private enum State: Hashable {
        case far
        case coming(since: Duration)
        case near
    }

    private let threshold: Int
    private var state = State.far

    /// A trigger with a threshold in dBm.
    public init(threshold: Int) { self.threshold = threshold }

    /// When to ``timePassed(at:)`` next; nil while the device is far, or has been near for long.
    public var deadline: Duration? {
        guard case .coming(let since) = state else { return nil }
        return since + Self.delay
    }

    /// The signal is so strong now, or nothing is known of it.
    ///
    /// - Returns: Whether the device has come near just now.
    public mutating func heard(_ signal: Int?, at uptime: Duration) -> Bool {
        let signal = signal ?? .min
        if signal < threshold - Self.hysteresis {
            state = .far
        } else if signal >= threshold, state == .far {
            state = .coming(since: uptime)
        }
        return timePassed(at: uptime)
    }

    /// It is so late now.
    ///
    /// - Returns: Whether the device has come near just now.
    public mutating func timePassed(at uptime: Duration) -> Bool {
        guard let deadline, uptime >= deadline else { return false }
        state = .near
        return true
    }
}
