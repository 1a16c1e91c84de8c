// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A thread of its own for work that waits, and would keep a thread of Swift's pool from all
/// others.
enum DetachedThread {
    private final class Work: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Runs something on a new thread, which ends with it.
    ///
    /// - Throws: ``DBusError`` with `limitsExceeded` when the system gives no thread.
    static func start(_ body: @escaping @Sendable () -> Void) throws {
        let work = Unmanaged.passRetained(Work(body))
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { context in
                if let context { Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body() }
                return nil
            }, work.toOpaque())
        guard code == 0 else {
            work.release()
            throw DBusError.limit("no thread left for a connection")
        }
        pthread_detach(thread)
    }
}
