// SPDX-License-Identifier: Apache-2.0

/// A device's clocks: the wall clock for epochs and dates, and a monotonic clock for all other
/// times.
public protocol DeviceClock: Sendable {
    /// The wall clock's time in seconds since 1970. This clock may be wrong.
    var unixTime: Int64 { get }
    /// The time since some fixed moment. This time never goes back, and includes the time for which
    /// the machine was suspended.
    var uptime: Duration { get }
    /// Returns once ``uptime`` has reached a moment.
    ///
    /// - Throws: `CancellationError`.
    func sleep(until uptime: Duration) async throws
}
