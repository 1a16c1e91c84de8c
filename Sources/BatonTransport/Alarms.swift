// SPDX-License-Identifier: Apache-2.0

/// Something to do at an uptime; it is replaced as a whole.
public struct Alarm: Sendable {
    /// The uptime at which it goes off; nil when it is not set, and once it went off.
    public private(set) var deadline: Duration?
    /// Kept once it went off, too: what is set before a late ``wentOff()`` is cleared by it, and
    /// must not sleep on.
    private var task: Task<Void, Never>?

    /// Not set.
    public init() {}

    /// Sets, moves or clears it; where the deadline is the same, nothing changes.
    ///
    /// - Parameters:
    ///   - deadline: The uptime at which it goes off; nil for never.
    ///   - action: What is done then; it begins with ``wentOff()``.
    public mutating func set(
        to deadline: Duration?, _ clock: any DeviceClock, action: @escaping @Sendable () async -> Void
    ) {
        guard deadline != self.deadline else { return }
        clear()
        self.deadline = deadline
        task = deadline.map { deadline in
            Task {
                guard (try? await clock.sleep(until: deadline)) != nil else { return }
                // In a task of its own: what is done may set the alarm anew, which cancels this
                // one.
                Task { await action() }
            }
        }
    }

    /// It went off: the next ``set(to:_:action:)`` counts, even with the same deadline.
    public mutating func wentOff() { deadline = nil }

    /// It does not go off any more.
    public mutating func clear() {
        task?.cancel()
        (deadline, task) = (nil, nil)
    }
}

/// An ``Alarm`` for each name.
public struct Alarms<Name: Hashable & Sendable>: Sendable {
    private var alarms: [Name: Alarm] = [:]
    private var isOver = false

    /// None is set.
    public init() {}

    /// How many are set.
    public var count: Int { alarms.values.count { $0.deadline != nil } }

    /// Sets, moves or clears an alarm.
    ///
    /// - Parameters:
    ///   - deadline: The uptime at which it goes off; nil for never.
    ///   - action: What is done then; it begins with ``wentOff(_:)``.
    public mutating func set(
        _ name: Name, to deadline: Duration?, _ clock: any DeviceClock, action: @escaping @Sendable () async -> Void
    ) {
        guard !isOver else { return }
        alarms[name, default: Alarm()].set(to: deadline, clock, action: action)
    }

    /// An alarm went off: the next ``set(_:to:_:action:)`` counts, even with the same deadline.
    public mutating func wentOff(_ name: Name) { alarms[name]?.wentOff() }

    /// The uptime at which an alarm goes off; nil when it is not set.
    public func deadline(of name: Name) -> Duration? { alarms[name]?.deadline }

    /// An alarm does not go off any more.
    public mutating func clear(_ name: Name) { alarms[name]?.clear() }

    /// None goes off any more.
    public mutating func clear() {
        for name in alarms.keys { clear(name) }
    }

    /// Clears them all, for ever.
    public mutating func end() {
        isOver = true
        clear()
    }
}
