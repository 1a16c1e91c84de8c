// SPDX-License-Identifier: Apache-2.0

import Glibc

extension TraceLine {
    /// The present time in seconds, by the clock of trace lines.
    public static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec / 1_000) / 1_000_000
    }
}
