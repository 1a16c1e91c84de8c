// SPDX-License-Identifier: Apache-2.0

/// Whether a device has come near, by its signal: once, and not because the signal trembles at the
/// threshold.
///
/// The signal has to reach the threshold and then stay above the lower edge for ``delay``. The
/// trigger is ``isPending`` from then on, until what it is for was begun (``settle()``), or the
/// device goes; it goes off again only after the signal was below the lower edge. No clock: times
/// come in.
public struct NearTrigger: Sendable {
    /// How long a device has to be near.
    public static let delay = Duration.seconds(3)
    /// How far the signal may fall below the threshold meanwhile, in dB.
    public static let hysteresis = 8
    /// How long it is until the first of the tries that follow one that failed; each further one
    /// comes after twice as long.
    public static let retryDelay = Duration.seconds(5)
    /// How many tries follow one that failed, until the device has gone and come again.
    public static let maximumRetries = 3

    /// How long it is until a device is tried again that did not answer near by; the time doubles,
    /// up to ``longestMissPause``.
    public static let firstMissPause = Duration.seconds(10)
    /// The longest time until such a device is tried again.
    public static let longestMissPause = Duration.seconds(600)

    private enum State: Hashable {
        case far
        case coming(until: Duration)
        case near(isSettled: Bool)
    }

    /// Whether the radio does not tell how strong the signal is.
    public private(set) var isUnheard = false

    private let threshold: Int
    private var state = State.far
    private var retries = 0
    private var missPause = Self.firstMissPause

    /// The signal below which the device is not near any more, in dBm.
    public var lowest: Int { threshold - Self.hysteresis }

    /// A trigger with a threshold in dBm.
    public init(threshold: Int) { self.threshold = threshold }

    /// When to ``timePassed(at:)`` next; nil while the device is far, or has been near for long.
    public var deadline: Duration? {
        guard case .coming(let until) = state else { return nil }
        return until
    }

    /// Whether the device is near, and what it is near for has yet to be begun.
    public var isPending: Bool { state == .near(isSettled: false) }

    /// The signal is so strong now, or nothing is known of it.
    ///
    /// - Returns: Whether the device has come near just now.
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

    /// It is so late now.
    ///
    /// - Returns: Whether the device has come near just now.
    @discardableResult
    public mutating func timePassed(at uptime: Duration) -> Bool {
        guard let deadline, uptime >= deadline else { return false }
        state = .near(isSettled: false)
        return true
    }

    /// What the device is near for was begun, or is not to be.
    public mutating func settle() {
        if isPending { state = .near(isSettled: true) }
    }

    /// What was begun has failed, and may do better in a while: there is a new ``deadline``, unless
    /// there were enough of them.
    public mutating func tryAgain(at uptime: Duration) {
        guard case .near = state, retries < Self.maximumRetries else { return }
        state = .coming(until: uptime + Self.retryDelay * (1 << retries))
        retries += 1
    }

    /// Who seems to be near did not answer there: there is a new ``deadline``, as long as the
    /// signal stays, for it may come itself.
    public mutating func missed(at uptime: Duration) {
        guard case .near = state else { return }
        state = .coming(until: uptime + missPause)
        missPause = min(missPause * 2, Self.longestMissPause)
    }
}
