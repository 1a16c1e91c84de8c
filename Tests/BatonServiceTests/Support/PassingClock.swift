// SPDX-License-Identifier: Apache-2.0

import BatonTesting
import BatonTransport
import Synchronization

/// A clock that can advance after the next reading of the wall clock.
final class PassingClock: DeviceClock {
    let manual = ManualClock()
    private let passing = Mutex<Duration?>(nil)

    var unixTime: Int64 {
        defer { if let duration = passing.withLock({ $0.take() }) { manual.advance(by: duration) } }
        return manual.unixTime
    }
    var uptime: Duration { manual.uptime }

    /// Advances the clock by a duration after the next reading of the wall clock.
    func passNext(_ duration: Duration) { passing.withLock { $0 = duration } }

    func sleep(until uptime: Duration) async throws { try await manual.sleep(until: uptime) }
}
