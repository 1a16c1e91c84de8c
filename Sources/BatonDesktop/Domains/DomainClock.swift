// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// What decides when a domain is asked by itself: the clock on the wall, and chance.
struct DomainClock: Sendable {
    /// Seconds since 1970.
    var now: @Sendable () -> Int = { Int(Date().timeIntervalSince1970) }
    /// A number from 0 to 1.
    var chance: @Sendable () -> Double = { .random(in: 0...1) }
    /// Waits for so long, or until the task is cancelled.
    var wait: @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) }
}
