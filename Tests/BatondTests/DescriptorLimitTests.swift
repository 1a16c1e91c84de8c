// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc
import Testing

@testable import batond

/// Tests the limit for batond's file descriptors. No test uses up the descriptors of a running
/// daemon, because libdispatch would sometimes end the daemon
/// (Decisions/0088-descriptors-never-run-out.md).
@Suite struct DescriptorLimitTests {
    @Test(
        "batond may have 16,384 descriptors, or as many as the hard limit allows",
        arguments: [(1_024, 524_288, 16_384), (256, 4_096, 4_096), (20_000, 20_000, 20_000)]
            as [(rlim_t, rlim_t, rlim_t)])
    func raised(soft: rlim_t, hard: rlim_t, expected: rlim_t) {
        #expect(DescriptorLimit.raised(rlimit(rlim_cur: soft, rlim_max: hard)) == expected)
    }
}
