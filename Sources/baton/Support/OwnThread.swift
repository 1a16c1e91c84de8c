// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Work that waits for something outside of the program, on a thread of its own: those that tasks
/// run on are few.
enum OwnThread {
    /// Runs it.
    ///
    /// - Parameter name: What a debugger calls the thread.
    /// - Returns: What `body` returns.
    static func run<Value: Sendable>(
        _ name: String, _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { waiting in
            let thread = Thread { waiting.resume(with: Result(catching: body)) }
            thread.name = name
            thread.start()
        }
    }
}
