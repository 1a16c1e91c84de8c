// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc

/// Keeps keys out of what is left of a crashed process.
enum Crashes {
    /// What the Swift runtime may have taken over, to print registers and memory to the log before
    /// the process ends.
    private static let signals = [SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV]

    /// From now on a crash ends this process at once, without a core, and without a backtrace that
    /// could show what it held.
    static func leaveNothing() {
        for number in signals { signal(number, SIG_DFL) }
        // Less than any core needs, so that no file is written; and 1, not 0, because that alone
        // also keeps Linux from passing the core to the program in core_pattern, as
        // systemd-coredump (core(5)). The unit has the same. Where the hard limit is 0, which
        // nobody but root can raise, such a program is passed one all the same.
        let core = __rlimit_resource_t(RLIMIT_CORE.rawValue)
        var limit = rlimit()
        getrlimit(core, &limit)
        limit.rlim_cur = min(1, limit.rlim_max)
        setrlimit(core, &limit)
        // Then it holds no memory.
        let filter = open("/proc/self/coredump_filter", O_WRONLY | O_CLOEXEC)
        guard filter >= 0 else { return }
        _ = write(filter, "0", 1)
        close(filter)
    }
}
