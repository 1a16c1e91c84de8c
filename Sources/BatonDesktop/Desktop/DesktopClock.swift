// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// The source of time and random numbers for the desktop side. Tests replace it.
struct DesktopClock: Sendable {
    /// Returns the time since a fixed moment. The time never goes back, and includes suspend.
    var uptime: @Sendable () -> Duration = { Self.start.duration(to: .now) }
    /// Returns the wall clock time.
    var date: @Sendable () -> Date = { Date() }
    /// Returns a random number from 0 to 1.
    var chance: @Sendable () -> Double = { .random(in: 0...1) }
    /// Waits until ``uptime`` reaches a moment, or throws when the task is cancelled.
    var sleep: @Sendable (_ until: Duration) async throws -> Void = { moment in
        try await Task.sleep(until: Self.start + moment)
    }

    private static let start = ContinuousClock.now
}
