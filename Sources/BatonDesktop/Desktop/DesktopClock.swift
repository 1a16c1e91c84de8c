// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// The time and the chance by which the desktop's side decides; a test has its own.
struct DesktopClock: Sendable {
    /// Time since some fixed moment; never goes back, goes on during suspend.
    var uptime: @Sendable () -> Duration = { Self.start.duration(to: .now) }
    /// The clock on the wall.
    var date: @Sendable () -> Date = { Date() }
    /// A number from 0 to 1.
    var chance: @Sendable () -> Double = { .random(in: 0...1) }
    /// Returns once ``uptime`` has reached a moment, or throws when the task is cancelled.
    var sleep: @Sendable (_ until: Duration) async throws -> Void = { moment in
        try await Task.sleep(until: Self.start + moment)
    }

    private static let start = ContinuousClock.now
}
