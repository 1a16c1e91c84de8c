// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Work that waits, on a thread of its own: those that tasks run on are few.
public enum OwnThread {
    /// The system gives no thread.
    public struct NoneLeft: Error {}

    private final class Work: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Begins some work on a new thread, which ends with it, and waits for nothing.
    ///
    /// - Throws: ``NoneLeft``; `body` is not called then.
    public static func start(_ body: @escaping @Sendable () -> Void) throws(NoneLeft) {
        let work = Unmanaged.passRetained(Work(body))
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { argument in
                if let argument { Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body() }
                return nil
            }, work.toOpaque())
        guard code == 0 else {
            work.release()
            throw NoneLeft()
        }
        pthread_detach(thread)
    }

    /// Does some work, and waits for it.
    ///
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws, or ``NoneLeft``.
    public static func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { waiting in
            do {
                try start { waiting.resume(with: Result(catching: body)) }
            } catch {
                waiting.resume(throwing: error)
            }
        }
    }
}
