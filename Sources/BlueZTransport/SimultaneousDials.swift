// SPDX-License-Identifier: GPL-3.0-or-later

internal import L2CAP

/// The number of dials to start at the same time (Decisions/0009-identifiers-in-use.md).
///
/// Each kernel gives a channel the lowest identifier that is free on its side. If the peer's kernel
/// believes that this identifier is in use, it refuses the channel, and would refuse every
/// repetition. If this side's kernel believes that the identifier in the answer is in use, it
/// ignores the answer, and the peer closes the silent channel. So after such a failure several
/// dials start at once, each with its own identifiers.
struct SimultaneousDials {
    /// The largest number of dials at the same time.
    static let maximum = 6
    /// The shortest time of a dial whose answer was ignored. A peer that refuses this device closes
    /// the channel sooner.
    static let silence = Duration.seconds(1)

    /// The current number of dials at the same time.
    private(set) var count = 1

    /// Returns whether to try again, with more dials, after the dials have failed.
    ///
    /// A refusal costs a round trip, but an ignored answer costs seconds. So after an ignored
    /// answer, the maximum number of dials start at once.
    ///
    /// - Parameter time: How long the dials took.
    mutating func goesOn(after error: L2CAPError, took time: Duration) -> Bool {
        let isIgnored = error.isReset && time >= Self.silence
        guard error.isRefusal || isIgnored, count < Self.maximum else { return false }
        count = isIgnored ? Self.maximum : count + 1
        return true
    }
}
