// SPDX-License-Identifier: Apache-2.0

/// Detects from a device's signal strength that the device has come near. The trigger fires once,
/// and ignores a signal that fluctuates around the threshold.
///
/// The signal has to reach the threshold and then stay above the lower edge for ``delay``. From
/// then on the trigger is ``isPending`` until its action has begun (``settle()``) or the device
/// moves away. The trigger fires again only after the signal was below the lower edge, or to repeat
/// a failed attempt. The trigger has no clock, so callers pass the time.
public struct NearTrigger: Sendable {
    /// How long a device must be near.
    public static let delay = Duration.seconds(3)
    /// How far the signal may fall below the threshold during that time, in dB.
    public static let hysteresis = 8
    /// The time until the first retry after a failure. Each further retry waits twice as long as
    /// the one before.
    public static let retryDelay = Duration.seconds(5)
    /// The maximum number of retries until the device has moved away and come back.
    public static let maximumRetries = 3

    /// The time until a device that did not answer at close range is asked again. The time doubles
    /// with each miss, up to ``longestMissPause``.
    public static let firstMissPause = Duration.seconds(10)
    /// The longest time until a device that did not answer is asked again.
    public static let longestMissPause = Duration.seconds(600)

    private enum State: Hashable {
        case far
        case coming(until: Duration)
        case near(isSettled: Bool)
    }

    /// Whether the radio does not report the signal strength.
    public private(set) var isUnheard = false

    private let threshold: Int
    private var state = State.far
    private var retries = 0
    private var missPause = Self.firstMissPause

    /// The signal strength in dBm below which the device is no longer near.
    public var lowest: Int { threshold - Self.hysteresis }

    /// Creates a trigger with a threshold in dBm.
    public init(threshold: Int) { self.threshold = threshold }

    /// When to call ``timePassed(at:)`` next, or nil while the device is far or the trigger has
    /// fired.
    public var deadline: Duration? {
        guard case .coming(let until) = state else { return nil }
        return until
    }

    /// Whether the device is near and the trigger's action has not begun yet.
    public var isPending: Bool { state == .near(isSettled: false) }

    /// Records the current signal strength, or nil if it is unknown.
    ///
    /// - Returns: Whether the device has just come near.
    @discardableResult
    public mutating func heard(_ signal: Int?, at uptime: Duration) -> Bool {
        isUnheard = signal == nil
        let signal = signal ?? .min
        if signal < lowest {
            state = .far
            retries = 0
            missPause = Self.firstMissPause
        } else if signal >= threshold, state == .far {
            state = .coming(until: uptime + Self.delay)
        }
        return timePassed(at: uptime)
    }

    /// Updates the state to the current time.
    ///
    /// - Returns: Whether the device has just come near.
    @discardableResult
    public mutating func timePassed(at uptime: Duration) -> Bool {
        guard let deadline, uptime >= deadline else { return false }
        state = .near(isSettled: false)
        return true
    }

    /// Records that the trigger's action was begun, or will not be.
    public mutating func settle() {
        if isPending { state = .near(isSettled: true) }
    }

    /// Records that the action failed, perhaps temporarily. Sets a new ``deadline`` unless there
    /// were too many retries.
    public mutating func tryAgain(at uptime: Duration) {
        guard case .near = state, retries < Self.maximumRetries else { return }
        state = .coming(until: uptime + Self.retryDelay * (1 << retries))
        retries += 1
    }

    /// Records that the device did not answer at close range. Sets a new ``deadline``, because the
    /// device may still come near while its signal stays.
    public mutating func missed(at uptime: Duration) {
        guard case .near = state else { return }
        state = .coming(until: uptime + missPause)
        missPause = min(missPause * 2, Self.longestMissPause)
    }
}
