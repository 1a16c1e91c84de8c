// SPDX-License-Identifier: GPL-3.0-or-later

internal import L2CAP

/// How many dials are made at once (Decisions/0009-identifiers-in-use.md).
///
/// The kernel gives a channel the lowest identifier that is free here. The peer's refuses one that
/// it holds for taken there, and would do so again and again. So after a refusal the same is
/// dialled several times at once: each dial has an identifier of its own.
struct SimultaneousDials {
    /// How many dials are made at once at most.
    static let maximum = 6

    /// How many dials are made at once now.
    private(set) var count = 1

    /// Whether it is tried again, with one dial more, after the dials have failed.
    mutating func goesOn(after error: L2CAPError) -> Bool {
        guard error.isRefusal, count < Self.maximum else { return false }
        count += 1
        return true
    }
}
