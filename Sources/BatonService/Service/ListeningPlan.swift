// SPDX-License-Identifier: Apache-2.0

import BatonTransport

/// How much the radio is to listen: much while somebody waits, little otherwise
/// (Documentation/Energy.md).
struct ListeningPlan: Sendable {
    /// Why the radio has to listen.
    struct Needs: OptionSet {
        let rawValue: UInt8
        /// This device is in a circle.
        static let membership = Self(rawValue: 1)
        /// A device is to come into a circle, this one or another.
        static let pairing = Self(rawValue: 2)
        /// Somebody waits for a device.
        static let waiting = Self(rawValue: 4)
        /// There are streams, which may have to be resumed.
        static let streams = Self(rawValue: 8)
        /// A device is still to be told that something was accepted.
        static let acceptances = Self(rawValue: 16)
    }

    /// How long it listens without a pause when somebody may have begun to look.
    static let alertness = Duration.seconds(20)

    private(set) var attendance = Attendance.present
    private var alertEnd = Duration.zero
    /// How many programs have this device join a circle.
    var joins = 0
    /// What the radio was told last.
    var told = Listening.always
    /// Whether it is being told.
    var isBeingTold = false

    /// Whether the user looks at this laptop.
    mutating func attend(_ attendance: Attendance, at uptime: Duration) {
        if attendance == .present, self.attendance != .present { look(at: uptime) }
        self.attendance = attendance
    }

    /// Somebody may be looking for offers from now on.
    mutating func look(at uptime: Duration) { alertEnd = uptime + Self.alertness }

    /// When what is wanted may be less than before; nil where time changes nothing.
    func deadline(at uptime: Duration) -> Duration? { uptime < alertEnd ? alertEnd : nil }

    /// How much the radio is to listen.
    func listening(_ needs: Needs, at uptime: Duration) -> Listening {
        if needs.contains(.pairing) || uptime < alertEnd { return .always }
        guard needs.contains(.membership) else { return .never }
        if needs.contains(.waiting) { return .always }
        switch attendance {
        case .present: return .usually
        case .idle: return needs.contains(.streams) ? .usually : .sometimes
        case .away:
            if needs.contains(.streams) { return .usually }
            return needs.contains(.acceptances) ? .sometimes : .never
        }
    }
}
