// SPDX-License-Identifier: Apache-2.0

import BatonBus
import FoundationEssentials

/// Whether the user is there and has not paused Baton, and the machine awake. No clock: times are
/// told.
struct Presence: Sendable {
    /// How often it is looked at least, in seconds, whether a pause is over: suspend delays alarms.
    private static let longestLook = 30.0

    var session = SessionState()
    /// The machine is about to sleep, or sleeps.
    var isAboutToSleep = false
    private let memory: PauseMemory
    /// When to ``timePassed(at:_:)`` next; nil for never.
    private(set) var deadline: Duration?

    /// A user who is there, with a pause that has begun before if there is one.
    init(memory: PauseMemory = PauseMemory()) { self.memory = memory }

    /// The user's pause; nil when there is none.
    var pause: Pause? { memory.current }
    /// Whether nothing is to be advertised, shown or continued by itself.
    var isPaused: Bool { pause != nil }

    /// Whether the user sits at the screen, and it is not locked.
    var isUnlocked: Bool { session.isActive && !session.isLocked }

    /// Whether offers are for this user to see.
    var showsOffers: Bool { session.isActive && !isPaused }

    /// Whether the user looks at this laptop.
    var attendance: Attendance {
        guard session.isActive, !isPaused else { return .away }
        return session.isLocked || session.isIdle || isAboutToSleep ? .idle : .present
    }

    /// Whether other laptops may hear what this one offers.
    var mayAdvertise: Bool { session.isActive && !isAboutToSleep && !isPaused }

    /// Begins a pause, goes on with it, or ends it.
    mutating func setPause(_ pause: Pause?, at uptime: Duration, _ date: Date) {
        memory.current = pause
        deadline = pause?.until.map { uptime + .seconds(min(Self.longestLook, max(0, $0.timeIntervalSince(date)))) }
    }

    /// It is so late now.
    ///
    /// - Returns: Whether the pause is over just now.
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
