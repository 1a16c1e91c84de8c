// SPDX-License-Identifier: Apache-2.0

/// The time by which notifications of offers are told apart from floods of them; a test has its
/// own.
struct DesktopClock: Sendable {
    /// Time since some fixed moment; never goes back, goes on during suspend.
    var uptime: @Sendable () -> Duration = { Desktop.uptime }
    /// Returns once ``uptime`` has reached a moment, or throws when the task is cancelled.
    var sleep: @Sendable (_ until: Duration) async throws -> Void = { moment in
        try await Task.sleep(for: max(.zero, moment - Desktop.uptime))
    }
}
