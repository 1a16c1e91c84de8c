// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc

/// Keeps keys out of the remains of a crashed process.
enum Crashes {
    /// The signals that the Swift runtime may handle to print registers and memory to the log
    /// before the process ends.
    private static let signals = [SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV]

    /// Makes a crash end this process at once, without a core dump and without a backtrace that
    /// could show keys.
    static func leaveNothing() {
        for number in signals { signal(number, SIG_DFL) }
        // No core dump fits into one byte, so no file is written. Only the value 1, not 0, also
        // keeps Linux from piping the core to a program in core_pattern, such as systemd-coredump
        // (core(5)). The systemd unit has the same value. If the hard limit is 0, which only root
        // can raise, Linux still pipes the core to such a program.
        let core = __rlimit_resource_t(RLIMIT_CORE.rawValue)
        var limit = rlimit()
        getrlimit(core, &limit)
        limit.rlim_cur = min(1, limit.rlim_max)
        setrlimit(core, &limit)
        // With an empty filter, a core dump contains no memory.
        let filter = open("/proc/self/coredump_filter", O_WRONLY | O_CLOEXEC)
        guard filter >= 0 else { return }
        _ = write(filter, "0", 1)
        close(filter)
    }
}
