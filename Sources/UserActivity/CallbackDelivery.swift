// SPDX-License-Identifier: Apache-2.0

/// Where an app's callbacks run: chosen once, when the app connects, and the same for all of its
/// activities.
///
/// Foundation leaves the thread of its delegate calls open; here it is stated and can be chosen.
/// Whatever is chosen, the callbacks of one activity come one after the other, in the order in
/// which things happened.
public struct CallbackDelivery: Sendable {
    private let enqueue: @Sendable (@escaping @Sendable () -> Void) -> Void
    /// Whether the work is on the main thread, where responders may be asked.
    let isOnMainThread: Bool

    /// Callbacks on a loop or an executor of the app's own.
    ///
    /// - Parameters:
    ///   - isOnMainThread: Whether the work runs on the main thread.
    ///   - enqueue: Takes work from any thread and runs it once, soon, on the app's own; it must
    ///     not wait for it. With GLib it calls `g_idle_add`.
    public init(
        isOnMainThread: Bool = false, _ enqueue: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
    ) {
        self.isOnMainThread = isOnMainThread
        self.enqueue = enqueue
    }

    /// On the host's own task, with nothing in between: any thread, never the main one.
    public static let immediate = CallbackDelivery { $0() }

    /// On the main actor: for programs whose main thread runs `RunLoop.main`, `dispatchMain()` or
    /// an async `main`.
    public static let mainActor = CallbackDelivery(isOnMainThread: true) { work in Task { @MainActor in work() } }

    /// Runs work where callbacks belong.
    ///
    /// - Parameter work: Run once, soon.
    public func run(_ work: @escaping @Sendable () -> Void) { enqueue(work) }

    /// Runs work where callbacks belong, and waits for what it gives.
    ///
    /// - Parameter work: Run once; when the app's loop no longer runs, this never returns.
    /// - Returns: What `work` returned.
    public func result<Value: Sendable>(of work: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { waiting in enqueue { waiting.resume(returning: work()) } }
    }
}
