// SPDX-License-Identifier: Apache-2.0

/// Bounds how often a man in the middle may try his luck with six digits: after each failed attempt
/// the next one has to wait, longer each time.
///
/// Documentation/Protocol/Pairing.md, "What an attacker can do", has the odds.
public struct PairingLimiter: Sendable {
    /// How long the next attempt waits after the first failure, the second, and so on; the last
    /// counts for all further ones.
    public static let pauses: [Duration] = [.seconds(60), .seconds(240), .seconds(960), .seconds(3_600)]
    /// Failures that no other has followed for so long are forgotten.
    public static let memory = Duration.seconds(86_400)

    private var failures = 0
    private var last = Duration.zero

    /// A limiter that has seen no failure.
    public init() {}

    /// Whether another attempt has to wait; if so, the uptime from which on it may be made.
    public func refusedUntil(at uptime: Duration) -> Duration? {
        guard failures > 0 else { return nil }
        let end = last + Self.pauses[min(failures, Self.pauses.count) - 1]
        return end > uptime ? end : nil
    }

    /// So many attempts in which the responder's share had been shown ended without success.
    public mutating func failed(_ attempts: Int = 1, at uptime: Duration) {
        guard attempts > 0 else { return }
        if uptime - last >= Self.memory { failures = 0 }
        failures += attempts
        last = uptime
    }

    /// Two devices were paired: what failed before was no attack, or a vain one.
    public mutating func succeeded() { failures = 0 }
}
