// SPDX-License-Identifier: Apache-2.0

/// An action that runs when the device's uptime reaches a deadline. Setting another deadline
/// replaces the action too.
public struct Alarm: Sendable {
    /// The uptime at which the alarm goes off, or nil if it is not set or has gone off.
    public private(set) var deadline: Duration?
    /// The task that sleeps until the deadline.
    ///
    /// ``wentOff()`` clears the deadline but keeps the task. The reason is an alarm that is set
    /// again just before the old action calls ``wentOff()``. That call clears the new deadline, but
    /// the next call of `set` must still be able to cancel the new task.
    private var task: Task<Void, Never>?

    /// Creates an alarm that is not set.
    public init() {}

    /// Sets, moves or clears the alarm. Does nothing if the deadline stays the same.
    ///
    /// - Parameters:
    ///   - deadline: The uptime at which the alarm goes off, or nil for never.
    ///   - action: The work to do at the deadline. The action must begin by calling ``wentOff()``.
    public mutating func set(
        to deadline: Duration?, _ clock: any DeviceClock, action: @escaping @Sendable () async -> Void
    ) {
        guard deadline != self.deadline else { return }
        clear()
        self.deadline = deadline
        task = deadline.map { deadline in
            Task {
                guard (try? await clock.sleep(until: deadline)) != nil else { return }
                // The action runs in a task of its own because it may set the alarm again, which
                // cancels this task.
                Task { await action() }
            }
        }
    }

    /// Records that the alarm went off.
    ///
    /// The next ``set(to:_:action:)`` then takes effect even with the same deadline.
    public mutating func wentOff() { deadline = nil }

    /// Clears the alarm, so that it does not go off.
    public mutating func clear() {
        task?.cancel()
        (deadline, task) = (nil, nil)
    }
}

/// A set of alarms, one ``Alarm`` for each name.
public struct Alarms<Name: Hashable & Sendable>: Sendable {
    private var alarms: [Name: Alarm] = [:]
    private var isOver = false

    /// Creates a set in which no alarm is set.
    public init() {}

    /// The number of alarms that are set.
    public var count: Int { alarms.values.count { $0.deadline != nil } }

    /// Sets, moves or clears the alarm with a name.
    ///
    /// - Parameters:
    ///   - deadline: The uptime at which the alarm goes off, or nil for never.
    ///   - action: The work to do at the deadline. The action must begin by calling
    ///     ``wentOff(_:)``.
    public mutating func set(
        _ name: Name, to deadline: Duration?, _ clock: any DeviceClock, action: @escaping @Sendable () async -> Void
    ) {
        guard !isOver else { return }
        alarms[name, default: Alarm()].set(to: deadline, clock, action: action)
    }

    /// Records that an alarm went off.
    ///
    /// The next ``set(_:to:_:action:)`` then takes effect even with the same deadline.
    public mutating func wentOff(_ name: Name) { alarms[name]?.wentOff() }

    /// Returns the uptime at which an alarm goes off, or nil if it is not set.
    public func deadline(of name: Name) -> Duration? { alarms[name]?.deadline }

    /// Clears an alarm, so that it does not go off.
    public mutating func clear(_ name: Name) { alarms[name]?.clear() }

    /// Clears all alarms.
    public mutating func clear() {
        for name in alarms.keys { clear(name) }
    }

    /// Clears all alarms, and ignores all later calls that set an alarm.
    public mutating func end() {
        isOver = true
        clear()
    }
}
