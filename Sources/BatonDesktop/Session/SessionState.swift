// SPDX-License-Identifier: Apache-2.0

/// Whether the user is at the screen, according to logind.
///
/// Source: org.freedesktop.login1(5). Without logind, or without a session there, the user counts
/// as present. The user is absent if another user's session is in the foreground instead, or if all
/// of the user's sessions are in the background.
public struct SessionState: Hashable, Sendable {
    /// Whether the user's session is in the foreground.
    public var isActive = true
    /// Whether the session's screen is locked.
    public var isLocked = false
    /// Whether the user has been inactive for a while, or the lid is closed.
    public var isIdle = false

    /// The owner of the session in the foreground of a seat.
    enum Foreground: Hashable, Sendable {
        /// The daemon's own user.
        case own
        /// A user other than the daemon's own user.
        case another
        /// No user: there is no session, or it is the login screen.
        case nobody
    }
}

extension SessionState {
    /// Creates a state from logind's properties.
    ///
    /// - Parameters:
    ///   - user: The user's `State`. `online` means that none of the user's sessions is in the
    ///     foreground. Sessions without a seat, such as the sessions of ssh, always count as being
    ///     in the foreground. So this property alone does not show who is at a screen.
    ///   - seats: The owner of the foreground session of each seat.
    ///   - lockedHint: `LockedHint` of the user's graphical session.
    ///   - idleHint: `IdleHint` of that session.
    ///   - isLidClosed: `LidClosed`, or false if the laptop is docked.
    init(user: String?, seats: [Foreground], lockedHint: Bool?, idleHint: Bool? = nil, isLidClosed: Bool = false) {
        let isActive =
            if seats.contains(.own) { true } else if seats.contains(.another) { false } else { user != "online" }
        self.init(isActive: isActive, isLocked: lockedHint ?? false, isIdle: idleHint ?? false || isLidClosed)
    }
}
