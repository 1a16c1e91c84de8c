// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Runs blocking work on its own thread, because all Swift tasks share a few threads.
public enum OwnThread {
    /// The error that is thrown if the system cannot create another thread.
    public struct NoneLeft: Error {}

    private final class Work: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Starts work on a new thread, and returns without waiting for it.
    ///
    /// - Throws: ``NoneLeft``, without calling `body`.
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

    /// Runs work on a new thread, and waits for it.
    ///
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body`, or ``NoneLeft``.
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
