// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc

/// The limit for the process's file descriptors.
///
/// The process must never use up its descriptors. Swift's tasks run on libdispatch, which ends a
/// process if no descriptor is free for inspecting the process's threads
/// (Decisions/0088-descriptors-never-run-out.md).
enum DescriptorLimit {
    /// The wanted limit. This limit is higher than the number of descriptors that other programs
    /// and devices can make this process open. The systemd unit has the same limit.
    static let wanted: rlim_t = 16_384

    /// The least limit to start with: twice the descriptors that the daemon needs before the first
    /// request.
    static let least: rlim_t = 64

    /// Raises the soft limit to the wanted limit, or as far as the hard limit allows.
    ///
    /// - Returns: Whether the limit is enough to start.
    static func raise() -> Bool {
        let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard getrlimit(files, &limit) == 0 else { return true }
        limit.rlim_cur = raised(limit)
        setrlimit(files, &limit)
        return limit.rlim_cur >= least
    }

    /// Returns the soft limit that replaces the one in `limit`.
    static func raised(_ limit: rlimit) -> rlim_t { max(limit.rlim_cur, min(wanted, limit.rlim_max)) }
}
