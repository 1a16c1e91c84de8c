// SPDX-License-Identifier: Apache-2.0

import BatonBus
import FoundationEssentials

/// Tracks whether the user is present, Baton is paused, and the machine is awake. This type has no
/// clock, so callers pass the time.
struct Presence: Sendable {
    /// The longest time in seconds between two checks for the end of a pause. A single alarm is not
    /// enough, because suspend delays alarms.
    private static let longestLook = 30.0

    var session = SessionState()
    var isAboutToSleep = false
    private let memory: PauseMemory
    /// When to call ``timePassed(at:_:)`` next, or nil for never.
    private(set) var deadline: Duration?

    /// Creates the state of a present user, with the pause in the memory if there is one.
    init(memory: PauseMemory = PauseMemory()) { self.memory = memory }

    /// The current pause, or nil if Baton is not paused.
    var pause: Pause? { memory.current }
    /// Whether Baton is paused, so that it advertises and shows nothing, and continues nothing
    /// automatically.
    var isPaused: Bool { pause != nil }

    /// Whether the user's session is in the foreground and unlocked.
    var isUnlocked: Bool { session.isActive && !session.isLocked }

    /// Whether offers may be shown to this user.
    var showsOffers: Bool { session.isActive && !isPaused }

    /// How much attention the user gives to this laptop.
    var attendance: Attendance {
        guard session.isActive, !isPaused else { return .away }
        return session.isLocked || session.isIdle || isAboutToSleep ? .idle : .present
    }

    /// Whether this laptop may advertise to others.
    var mayAdvertise: Bool { session.isActive && !isAboutToSleep && !isPaused }

    /// Begins, extends or ends a pause.
    mutating func setPause(_ pause: Pause?, at uptime: Duration, _ date: Date) {
        memory.current = pause
        deadline = pause?.until.map { uptime + .seconds(min(Self.longestLook, max(0, $0.timeIntervalSince(date)))) }
    }

    /// Updates the state to the current time.
    ///
    /// - Returns: Whether the pause has just ended.
    mutating func timePassed(at uptime: Duration, _ date: Date) -> Bool {
        guard let deadline, uptime >= deadline else { return false }
        guard let until = pause?.until else {
            self.deadline = nil
            return false
        }
        setPause(date < until ? pause : nil, at: uptime, date)
        return !isPaused
    }
}
