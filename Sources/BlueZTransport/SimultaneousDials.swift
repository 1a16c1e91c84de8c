// SPDX-License-Identifier: GPL-3.0-or-later

internal import L2CAP

/// The number of dials to start at the same time (Decisions/0009-identifiers-in-use.md).
///
/// The kernel gives a channel the lowest identifier that is free on this side. The peer's kernel
/// refuses an identifier that it believes to be in use, and would refuse it every time. So after a
/// refusal several dials start at once, each with its own identifier.
struct SimultaneousDials {
    /// The largest number of dials at the same time.
    static let maximum = 6

    /// The current number of dials at the same time.
    private(set) var count = 1

    /// Returns whether to try again, with one dial more, after the dials have failed.
    mutating func goesOn(after error: L2CAPError) -> Bool {
        guard error.isRefusal, count < Self.maximum else { return false }
        count += 1
        return true
    }
}
