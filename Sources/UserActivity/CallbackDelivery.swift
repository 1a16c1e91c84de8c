// SPDX-License-Identifier: Apache-2.0

/// The place where an app's callbacks run, such as the main actor or a dispatch queue.
///
/// An app chooses the place once, when it connects, for all of its activities. Foundation does not
/// say on which thread it calls a delegate, but Baton does. With every choice, the callbacks of one
/// activity run one after the other, in the order of the events.
public struct CallbackDelivery: Sendable {
    private let enqueue: @Sendable (@escaping @Sendable () -> Void) -> Void
    /// Whether the callbacks run on the main thread. Responders can be asked only there.
    let isOnMainThread: Bool

    /// Creates a delivery to the app's own loop or executor.
    ///
    /// - Parameters:
    ///   - isOnMainThread: Whether the work runs on the main thread.
    ///   - enqueue: Called from any thread. The closure must schedule the work to run once, soon,
    ///     on the app's loop, and return without waiting. With GLib the closure calls `g_idle_add`.
    public init(
        isOnMainThread: Bool = false, _ enqueue: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
    ) {
        self.isOnMainThread = isOnMainThread
        self.enqueue = enqueue
    }

    /// Runs callbacks directly on the host's own task, on any thread except the main one.
    public static let immediate = CallbackDelivery { $0() }

    /// Runs callbacks on the main actor.
    ///
    /// Use this if the main thread runs `RunLoop.main`, `dispatchMain()` or an async `main`.
    public static let mainActor = CallbackDelivery(isOnMainThread: true) { work in Task { @MainActor in work() } }

    /// Runs work in the place that the app chose.
    ///
    /// - Parameter work: The work, which runs once. This function does not wait for it.
    public func run(_ work: @escaping @Sendable () -> Void) { enqueue(work) }

    /// Runs work in the place that the app chose, and waits for its result.
    ///
    /// - Parameter work: The work, which runs once. If the app's loop no longer runs, this function
    ///   never returns.
    /// - Returns: The result of `work`.
    public func result<Value: Sendable>(of work: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { waiting in enqueue { waiting.resume(returning: work()) } }
    }
}
