// SPDX-License-Identifier: Apache-2.0

import BatonTransport

/// Things to do at an uptime, one for each name; each is replaced as a whole.
struct Alarms<Name: Hashable & Sendable>: Sendable {
    private struct Alarm: Sendable {
        /// Nil once it went off. Its task is kept all the same: what is set before a late
        /// ``wentOff(_:)`` is cleared by it, and must not sleep on.
        var deadline: Duration?
        let task: Task<Void, Never>
    }

    private var alarms: [Name: Alarm] = [:]
    private var isOver = false

    /// How many are set.
    var count: Int { alarms.values.count { $0.deadline != nil } }

    /// Sets, moves or clears an alarm.
    ///
    /// - Parameters:
    ///   - deadline: The uptime at which it goes off; nil for never.
    ///   - action: What is done then; it begins with ``wentOff(_:)``.
    mutating func set(
        _ name: Name, to deadline: Duration?, _ clock: any DeviceClock, action: @escaping @Sendable () async -> Void
    ) {
        guard !isOver, deadline != self.deadline(of: name) else { return }
        alarms[name]?.task.cancel()
        alarms[name] = deadline.map { deadline in
            let task = Task {
                guard (try? await clock.sleep(until: deadline)) != nil else { return }
                await action()
            }
            return Alarm(deadline: deadline, task: task)
        }
    }

    /// An alarm went off: the next ``set(_:to:_:action:)`` counts, even with the same deadline.
    mutating func wentOff(_ name: Name) { alarms[name]?.deadline = nil }

    /// The uptime at which an alarm goes off; nil when it is not set.
    func deadline(of name: Name) -> Duration? { alarms[name]?.deadline }

    /// Clears them all, for ever.
    mutating func end() {
        isOver = true
        for alarm in alarms.values { alarm.task.cancel() }
        alarms = [:]
    }
}
