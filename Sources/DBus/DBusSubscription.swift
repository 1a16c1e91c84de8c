// SPDX-License-Identifier: Apache-2.0

/// A subscription that calls a closure with each matching signal until the subscription is
/// cancelled or released.
public final class DBusSubscription: Sendable {
    private let thread: ConnectionThread
    private let id: UInt64

    fileprivate init(_ id: UInt64, on thread: ConnectionThread) {
        self.id = id
        self.thread = thread
    }

    deinit { cancel() }

    /// Withdraws the rule. A call of the closure may still be under way.
    public func cancel() { thread.perform { [id] in $0.unsubscribe(id) } }
}

extension DBusConnection {
    /// Calls a closure with each signal that matches a rule, from now on. Returns when the bus has
    /// confirmed the rule.
    ///
    /// - Parameters:
    ///   - match: The rule.
    ///   - perform: Called with each signal, in order, on the thread that owns the connection. The
    ///     closure must not block.
    /// - Returns: The subscription. Keep it as long as the signals are wanted.
    /// - Throws: The bus's error about the rule, or `org.freedesktop.DBus.Error.LimitsExceeded`.
    public func onSignal(
        matching match: DBusMatch, perform: @escaping @Sendable (DBusSignal) -> Void
    ) async throws -> DBusSubscription { try await subscribe(match, deliver: perform) {} }

    /// Calls a closure with each name that loses its owner, such as the unique name of a peer that
    /// leaves the bus.
    ///
    /// - Parameter perform: As for ``onSignal(matching:perform:)``.
    /// - Returns: As ``onSignal(matching:perform:)``.
    public func onDeparture(
        perform: @escaping @Sendable (DBusNameOwnerChange) -> Void
    ) async throws -> DBusSubscription {
        try await onSignal(matching: DBusNameOwnerChange.match([2: ""])) { signal in
            if let change = DBusNameOwnerChange(signal.arguments) { perform(change) }
        }
    }

    /// Adds a subscription, and waits until the bus has confirmed it.
    ///
    /// - Parameter finish: Called when the connection or the subscription ends.
    func subscribe(
        _ match: DBusMatch, deliver: @escaping @Sendable (DBusSignal) -> Void, finish: @escaping @Sendable () -> Void
    ) async throws -> DBusSubscription {
        let id = nextID()
        let subscription = SubscriptionTable.Subscription(match: match, deliver: deliver, finish: finish)
        _ = try await withCheckedThrowingContinuation { (waiting: CheckedContinuation<[DBusValue], any Error>) in
            let accepted = thread.perform { core in
                core.subscribe(id: id, subscription) { waiting.resume(with: $0) }
            }
            if !accepted { waiting.resume(throwing: DBusError.closed) }
        }
        return DBusSubscription(id, on: thread)
    }
}
