// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc

/// How many descriptors the process may have. It must not run out of them: libdispatch, on which
/// Swift's tasks run, ends a process that has none for its own look at its threads
/// (Decisions/0088-descriptors-never-run-out.md).
enum DescriptorLimit {
    /// More than all that others may make this process open; the unit has the same.
    static let wanted: rlim_t = 16_384

    /// What it needs before anybody has asked for anything, twice over.
    static let least: rlim_t = 64

    /// Takes as many as are wanted, as far as the hard limit goes.
    ///
    /// - Returns: Whether those are enough to begin with.
    static func raise() -> Bool {
        let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard getrlimit(files, &limit) == 0 else { return true }
        limit.rlim_cur = raised(limit)
        setrlimit(files, &limit)
        return limit.rlim_cur >= least
    }

    /// The soft limit that takes the place of another.
    static func raised(_ limit: rlimit) -> rlim_t { max(limit.rlim_cur, min(wanted, limit.rlim_max)) }
}
