// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Work that waits for something outside of the program, on a thread of its own: those that tasks
/// run on are few.
enum OwnThread {
    private final class Work {
        let body: () -> Void

        init(_ body: @escaping () -> Void) { self.body = body }
    }

    /// Begins some work, and waits for nothing. Where there can be no other thread, it is done on
    /// this one.
    static func start(_ body: @escaping @Sendable () -> Void) {
        let work = Unmanaged.passRetained(Work(body))
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { argument in
                argument.map { Unmanaged<Work>.fromOpaque($0).takeRetainedValue().body() }
                return nil
            }, work.toOpaque())
        if code == 0 { pthread_detach(thread) } else { work.takeRetainedValue().body() }
    }

    /// Does some work, and waits for it.
    ///
    /// - Returns: What `body` returns.
    static func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { waiting in
            start { waiting.resume(with: Result(catching: body)) }
        }
    }
}
