// SPDX-License-Identifier: GPL-3.0-or-later

import CMalloc

/// How the C library deals with memory that was given back (mallopt(3)).
enum Allocator {
    /// From now on what is freed goes back to the system.
    ///
    /// Left to itself, glibc has up to eight arenas for each processor, whose free pieces are of no use to one another, and keeps ever larger ones for
    /// ever: after ten minutes of hand-overs a daemon that used 10 MB held 28 MB (Documentation/Soak.md).
    static func givesBack() {
        mallopt(M_ARENA_MAX, 2)
        mallopt(M_MMAP_THRESHOLD, ownPages)
        mallopt(M_TRIM_THRESHOLD, idleEnd)
    }

    /// In bytes: what is as large has pages of its own. Setting it keeps it from growing. Less than what a stream has on its way would have the kernel
    /// clear pages all the time, which halves its throughput.
    private static let ownPages: Int32 = 1 << 20
    /// In bytes: how much may lie idle at an arena's end.
    private static let idleEnd: Int32 = 64 << 10
}
