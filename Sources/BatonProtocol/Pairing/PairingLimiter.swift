// SPDX-License-Identifier: Apache-2.0

/// Limits how often an attacker between two devices can try to guess six digits.
///
/// After each failed attempt, the next attempt must wait, longer each time.
/// Documentation/Protocol/Pairing.md, "What an attacker can do", gives the probabilities.
public struct PairingLimiter: Sendable {
    /// The pauses after the first failure, the second, and so on. The last pause also applies after
    /// all further failures.
    public static let pauses: [Duration] = [.seconds(60), .seconds(240), .seconds(960), .seconds(3_600)]
    /// How long failures are remembered after the last one.
    public static let memory = Duration.seconds(86_400)

    private var failures = 0
    private var last = Duration.zero

    /// Creates a limiter without failures.
    public init() {}

    /// Returns the uptime from which another attempt is allowed; nil if it is allowed now.
    public func refusedUntil(at uptime: Duration) -> Duration? {
        guard failures > 0 else { return nil }
        let end = last + Self.pauses[min(failures, Self.pauses.count) - 1]
        return end > uptime ? end : nil
    }

    /// Records attempts that failed after the responder had revealed its share.
    public mutating func failed(_ attempts: Int = 1, at uptime: Duration) {
        guard attempts > 0 else { return }
        if uptime - last >= Self.memory { failures = 0 }
        failures += attempts
        last = uptime
    }

    /// Forgets the failures after a success, because they were either not an attack, or an attack
    /// that failed.
    public mutating func succeeded() { failures = 0 }
}
