// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// The machine's clocks: `CLOCK_REALTIME` and `CLOCK_BOOTTIME`.
public struct SystemClock: DeviceClock {
    private static let origin = ContinuousClock.now
    private static let sleepers = Sleepers()

    /// Creates a clock that reads the machine's clocks.
    public init() {}

    /// The time of `CLOCK_REALTIME` in seconds since 1970.
    public var unixTime: Int64 { Int64(Date().timeIntervalSince1970.rounded(.down)) }

    /// The time since the process first read this clock, by `CLOCK_BOOTTIME`.
    public var uptime: Duration { Self.origin.duration(to: .now) }

    /// Returns once ``uptime`` has reached a moment.
    ///
    /// - Throws: `CancellationError`.
    public func sleep(until uptime: Duration) async throws {
        try await Self.sleepers.sleep(until: Self.origin.advanced(by: uptime))
    }
}
