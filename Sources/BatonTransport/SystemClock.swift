// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// The clocks of the machine: `CLOCK_REALTIME` and `CLOCK_BOOTTIME`.
public struct SystemClock: DeviceClock {
    private static let origin = ContinuousClock.now
    private static let sleepers = Sleepers()

    /// The machine's clocks.
    public init() {}

    /// What `CLOCK_REALTIME` says.
    public var unixTime: Int64 { Int64(Date().timeIntervalSince1970.rounded(.down)) }

    /// Time since the process first asked, by `CLOCK_BOOTTIME`.
    public var uptime: Duration { Self.origin.duration(to: .now) }

    /// Returns once ``uptime`` has reached a moment.
    ///
    /// - Throws: `CancellationError`.
    public func sleep(until uptime: Duration) async throws {
        try await Self.sleepers.sleep(until: Self.origin.advanced(by: uptime))
    }
}
