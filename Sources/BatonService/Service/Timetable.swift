// SPDX-License-Identifier: Apache-2.0

import BatonTransport

/// The uptimes at which parts are due, and one alarm for the earliest of them.
struct Timetable<Part: Hashable & Sendable>: Sendable {
    /// The uptimes at which parts are due.
    private(set) var deadlines: [Part: Duration] = [:]
    private var alarm = Alarm()
    private var isOver = false

    var count: Int { deadlines.count }

    /// Sets the uptime at which a part is due, or removes its deadline with nil.
    ///
    /// - Parameter whenDue: Called when a part is due. This function must call
    ///   ``takeDue(at:_:whenDue:)``.
    mutating func set(
        _ part: Part, to deadline: Duration?, _ clock: any DeviceClock, whenDue: @escaping @Sendable () async -> Void
    ) {
        guard !isOver else { return }
        deadlines[part] = deadline
        alarm.set(to: deadlines.values.min(), clock, action: whenDue)
    }

    /// Returns the parts that are due, the longest overdue first, and forgets their deadlines.
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

    /// Removes all deadlines, and accepts no more.
    mutating func end() {
        isOver = true
        deadlines = [:]
        alarm.clear()
    }
}
