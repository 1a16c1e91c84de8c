// SPDX-License-Identifier: Apache-2.0

/// Bounds how often a man in the middle may try his luck with six digits: five failed attempts in an hour, then none.
public struct PairingLimiter: Sendable {
    /// Failures within ``window`` after which pairing is refused.
    public static let maximumFailures = 5
    /// How long a failure counts.
    public static let window = Duration.seconds(3_600)

    private var failures: [Duration] = []

    /// A limiter that has seen no failure.
    public init() {}

    /// Whether another attempt may be made; if not, the uptime from which on it may.
    public func refusedUntil(at uptime: Duration) -> Duration? {
        let recent = failures.filter { uptime - $0 < Self.window }
        guard recent.count >= Self.maximumFailures else { return nil }
        return recent[recent.count - Self.maximumFailures] + Self.window
    }

    /// An attempt in which the responder's share had been shown ended without success.
    public mutating func failed(at uptime: Duration) {
        failures = failures.filter { uptime - $0 < Self.window } + [uptime]
    }
}
