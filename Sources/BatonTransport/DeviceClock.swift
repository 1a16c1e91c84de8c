// SPDX-License-Identifier: Apache-2.0

/// The seam to time: the wall clock for epochs and dates, a monotonic one for everything else.
public protocol DeviceClock: Sendable {
    /// Seconds since 1970, as this device believes.
    var unixTime: Int64 { get }
    /// Time since some fixed moment; never goes back, goes on during suspend.
    var uptime: Duration { get }
    /// Returns once ``uptime`` has reached a moment.
    ///
    /// - Throws: `CancellationError`.
    func sleep(until uptime: Duration) async throws
}
