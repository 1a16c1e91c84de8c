// SPDX-License-Identifier: GPL-3.0-or-later

import CMalloc
import Synchronization

/// The C library's handling of freed memory (mallopt(3), malloc_trim(3)).
enum Allocator {
    /// Sets limits so that freed memory soon returns to the system.
    ///
    /// By default, glibc has up to eight arenas for each processor. An arena cannot use the free
    /// memory of another one, and glibc keeps ever larger free blocks forever. After ten minutes of
    /// hand-overs, a daemon that used 10 MB held 28 MB (Documentation/Soak.md).
    static func givesBack() {
        mallopt(M_ARENA_MAX, 2)
        mallopt(M_MMAP_THRESHOLD, large)
        mallopt(M_TRIM_THRESHOLD, large)
    }

    /// Records that memory was used, and returns free memory to the system two seconds later.
    ///
    /// Call this after a hand-over, an event, or a program's departure. Free pages between blocks
    /// in use are returned too. There is no periodic timer, so that an idle daemon never wakes up
    /// for this.
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
    /// The size in bytes from which a block gets pages of its own, and the free memory that an
    /// arena keeps at its end. Setting this threshold stops glibc from raising it. If this value
    /// were smaller than the number of bytes that a stream has in transit, the kernel would clear
    /// pages all the time. That halves the throughput.
    private static let large: Int32 = 1 << 20
}
