// SPDX-License-Identifier: Apache-2.0

import BatonTransport

/// Decides how much the radio listens: always while a program waits for a device, less otherwise
/// (Documentation/Energy.md).
struct ListeningPlan: Sendable {
    /// The reasons for the radio to listen.
    struct Needs: OptionSet {
        let rawValue: UInt8
        /// This device is in a circle.
        static let membership = Self(rawValue: 1)
        /// This device or another device is about to join a circle.
        static let pairing = Self(rawValue: 2)
        /// A request or a program waits for a device.
        static let waiting = Self(rawValue: 4)
        /// Streams are open, which may have to be resumed.
        static let streams = Self(rawValue: 8)
        /// A device has not yet been informed of an acceptance.
        static let acceptances = Self(rawValue: 16)
        /// Only the radio shows the offers of a device that may be near
        /// (``MemberLinks/suffice``).
        static let unlinked = Self(rawValue: 32)
    }

    /// How long the radio listens without a pause after the user may have begun to look for offers.
    static let alertness = Duration.seconds(20)

    private(set) var attendance = Attendance.present
    /// Whether a rule waits until another device is near, which only the radio can tell.
    var needsSignals = true
    private var alertEnd = Duration.zero
    /// The number of calls that are joining a circle now.
    var joins = 0
    /// The setting that the radio got last.
    private var told = Listening.always
    /// Whether a task is sending settings to the radio.
    private var isBeingTold = false

    /// Records whether the user is present at this laptop.
    mutating func attend(_ attendance: Attendance, at uptime: Duration) {
        if attendance == .present, self.attendance != .present { look(at: uptime) }
        self.attendance = attendance
    }

    /// Records that the user may be looking for offers, beginning now.
    mutating func look(at uptime: Duration) { alertEnd = uptime + Self.alertness }

    /// Returns when the radio may listen less; nil if that does not depend on time.
    func deadline(at uptime: Duration) -> Duration? { uptime < alertEnd ? alertEnd : nil }

    /// Returns whether to begin a task that sends settings to the radio. No task is needed if the
    /// radio has the wanted setting, or if such a task already runs.
    mutating func beginTelling(_ needs: Needs, at uptime: Duration) -> Bool {
        guard !isBeingTold, listening(needs, at: uptime) != told else { return false }
        isBeingTold = true
        return true
    }

    /// Returns the setting to send to the radio next. Returns nil if the radio has the wanted
    /// setting; then the task ends.
    mutating func next(_ needs: Needs, at uptime: Duration) -> Listening? {
        let wanted = listening(needs, at: uptime)
        guard wanted != told else {
            isBeingTold = false
            return nil
        }
        told = wanted
        return wanted
    }

    /// Returns how much the radio should listen.
    func listening(_ needs: Needs, at uptime: Duration) -> Listening {
        if needs.contains(.pairing) || uptime < alertEnd { return .always }
        guard needs.contains(.membership) else { return .never }
        if needs.contains(.waiting) { return .always }
        switch attendance {
        case .present: return needsSignals || !needs.isDisjoint(with: [.unlinked, .streams]) ? .usually : .sometimes
        case .idle: return needs.contains(.streams) ? .usually : .sometimes
        case .away:
            if needs.contains(.streams) { return .usually }
            return needs.contains(.acceptances) ? .sometimes : .never
        }
    }
}
