// SPDX-License-Identifier: GPL-3.0-or-later

import CMalloc
import Synchronization

/// How the C library deals with memory that was given back (mallopt(3), malloc_trim(3)).
enum Allocator {
    /// From now on what is freed goes back to the system, at the latest a while after it was used.
    ///
    /// Left to itself, glibc has up to eight arenas for each processor, whose free pieces are of no
    /// use to one another, and keeps ever larger ones for ever: after ten minutes of hand-overs a
    /// daemon that used 10 MB held 28 MB (Documentation/Soak.md).
    static func givesBack() {
        mallopt(M_ARENA_MAX, 2)
        mallopt(M_MMAP_THRESHOLD, large)
        mallopt(M_TRIM_THRESHOLD, large)
    }

    /// Something was carried, or told, or a program has left: what it took goes back a while later,
    /// the free pages between pieces in use among it. A daemon that does nothing is not woken for
    /// it.
    static func noteUse() {
        let isFirst = isDue.withLock { isDue in
            defer { isDue = true }
            return !isDue
        }
        guard isFirst else { return }
        Task {
            try? await Task.sleep(for: pause)
            isDue.withLock { $0 = false }
            malloc_trim(0)
        }
    }

    private static let isDue = Mutex(false)
    private static let pause = Duration.seconds(2)
    /// In bytes: what is as large has pages of its own, and no more lies idle at an arena's end.
    /// Setting it keeps it from growing. Less than what a stream has on its way would have the
    /// kernel clear pages all the time, which halves its throughput.
    private static let large: Int32 = 1 << 20
}
