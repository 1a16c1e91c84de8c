// SPDX-License-Identifier: Apache-2.0

/// Whether the user sits at the screen, as logind knows it.
///
/// Source: org.freedesktop.login1(5). Where there is no logind, or the user has no session there,
/// the user counts as present: only another user's session in the foreground makes a difference.
public struct SessionState: Hashable, Sendable {
    /// Whether the user's session is in the foreground.
    public var isActive = true
    /// Whether its screen is locked.
    public var isLocked = false
    /// Whether nobody has touched anything for a while, or the lid is closed.
    public var isIdle = false

    /// A session in the foreground.
    public init(isActive: Bool = true, isLocked: Bool = false, isIdle: Bool = false) {
        self.isActive = isActive
        self.isLocked = isLocked
        self.isIdle = isIdle
    }

    /// Whose session is in the foreground of a seat.
    enum Foreground: Hashable, Sendable {
        /// The daemon's own user's.
        case own
        /// Another user's.
        case another
        /// Nobody's: no session, or the login screen.
        case nobody
    }

    /// What logind's properties mean.
    ///
    /// - Parameters:
    ///   - user: `State` of the user: `online` is a user with sessions none of which is in the
    ///     foreground. Sessions without a seat, as those of ssh, always count as being there, so
    ///     that this alone does not tell who sits at a screen.
    ///   - seats: Who is in the foreground of each seat.
    ///   - lockedHint: `LockedHint` of the user's graphical session.
    ///   - idleHint: Its `IdleHint`.
    ///   - isLidClosed: `LidClosed`, but where the laptop is docked.
    init(user: String?, seats: [Foreground], lockedHint: Bool?, idleHint: Bool? = nil, isLidClosed: Bool = false) {
        let isActive =
            if seats.contains(.own) { true } else if seats.contains(.another) { false } else { user != "online" }
        self.init(isActive: isActive, isLocked: lockedHint ?? false, isIdle: idleHint ?? false || isLidClosed)
    }
}
