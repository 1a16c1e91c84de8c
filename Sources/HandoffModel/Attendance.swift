// SPDX-License-Identifier: Apache-2.0

/// Whether the user is at this laptop.
public enum Attendance: Hashable, Sendable {
    /// The screen is unlocked, and somebody uses the laptop.
    case present
    /// The screen is locked, the lid is closed, or nobody has used the laptop for a while.
    case idle
    /// Baton is paused, or another user's session is in the foreground.
    case away
}
