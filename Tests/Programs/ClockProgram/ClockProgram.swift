// SPDX-License-Identifier: Apache-2.0

import BatonTransport
import Glibc

/// `clock-program SECONDS...`: sleeps until each of these moments, all at once, as the daemon does.
/// It prints `sleeping`, and then a line `SECONDS ALL AWAKE` for each sleep. `ALL` is the duration
/// in seconds, and `AWAKE` the part of it in which the machine was awake.
@main
struct ClockProgram {
    static func main() async throws {
        let seconds = CommandLine.arguments.dropFirst().compactMap { Int64($0) }
        let clock = SystemClock()
        let begun = (all: clock.uptime, awake: SuspendingClock.now)
        // Write at once, because `print` has a buffer.
        _ = Glibc.write(STDOUT_FILENO, "sleeping\n", 9)
        try await withThrowingTaskGroup { group in
            for seconds in seconds {
                group.addTask {
                    try await clock.sleep(until: begun.all + .seconds(seconds))
                    let slept = clock.uptime - begun.all
                    let awake = begun.awake.duration(to: .now)
                    print(seconds, slept.components.seconds, awake.components.seconds)
                }
            }
            try await group.waitForAll()
        }
    }
}
