// SPDX-License-Identifier: Apache-2.0

/// Whether the user looks at this laptop.
public enum Attendance: Hashable, Sendable {
    /// The screen is unlocked, and somebody is at it.
    case present
    /// It is locked, nobody has touched anything for a while, or the lid is closed.
    case idle
    /// Baton is paused, or another user's session is in front.
    case away
}
