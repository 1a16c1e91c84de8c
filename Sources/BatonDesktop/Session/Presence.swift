// SPDX-License-Identifier: Apache-2.0

import BatonBus

/// Whether the user is there, and the machine awake.
struct Presence: Sendable {
    var session = SessionState()
    /// The machine is about to sleep, or sleeps.
    var isAboutToSleep = false

    /// Whether the user sits at the screen, and it is not locked.
    var isUnlocked: Bool { session.isActive && !session.isLocked }

    /// Whether the user looks at this laptop.
    var attendance: Attendance {
        guard session.isActive else { return .away }
        return session.isLocked || session.isIdle || isAboutToSleep ? .idle : .present
    }

    /// Whether other laptops may hear what this one offers.
    var mayAdvertise: Bool { session.isActive && !isAboutToSleep }
}
