// SPDX-License-Identifier: Apache-2.0

import BatonTransport

/// The uptimes at which parts have something to do, and one alarm for the earliest of them.
struct Timetable<Part: Hashable & Sendable>: Sendable {
    private var deadlines: [Part: Duration] = [:]
    private var alarm = Alarm()
    private var isOver = false

    /// How many parts have something to do.
    var count: Int { deadlines.count }

    /// The uptime at which a part has something to do; nil if it has nothing to do.
    func deadline(of part: Part) -> Duration? { deadlines[part] }

    /// A part has something to do at an uptime, or nothing any more.
    ///
    /// - Parameter whenDue: Calls ``takeDue(at:_:whenDue:)``.
    mutating func set(
        _ part: Part, to deadline: Duration?, _ clock: any DeviceClock, whenDue: @escaping @Sendable () async -> Void
    ) {
        guard !isOver else { return }
        deadlines[part] = deadline
        alarm.set(to: deadlines.values.min(), clock, action: whenDue)
    }

    /// Returns the parts that have something to do now, the longest due first, and forgets their
    /// deadlines.
    mutating func takeDue(
        at uptime: Duration, _ clock: any DeviceClock, whenDue: @escaping @Sendable () async -> Void
    ) -> [Part] {
        guard !isOver else { return [] }
        let due = deadlines.filter { $0.value <= uptime }.sorted { $0.value < $1.value }.map(\.key)
        for part in due { deadlines[part] = nil }
        alarm.wentOff()
        alarm.set(to: deadlines.values.min(), clock, action: whenDue)
        return due
    }

    /// No part has anything to do ever again.
    mutating func end() {
        isOver = true
        deadlines = [:]
        alarm.clear()
    }
}
