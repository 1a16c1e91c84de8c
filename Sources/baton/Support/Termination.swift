// SPDX-License-Identifier: Apache-2.0

import UnixSignals

/// SIGINT and SIGTERM as an orderly end: the running operation is cancelled, and cleans up behind
/// itself.
enum Termination {
    /// The signals that come from now on; they end the process no more.
    static var signals: UnixSignalsSequence {
        get async { await UnixSignalsSequence(trapping: .sigint, .sigterm) }
    }

    /// Runs an operation that a signal cancels.
    ///
    /// - Parameters:
    ///   - interruption: What is said when nothing better is known.
    ///   - operation: What to do; it returns or throws soon after it is cancelled.
    /// - Returns: What it returns.
    /// - Throws: ``ToolFailure`` when a signal came first, else what it throws.
    static func cancels<Result: Sendable>(
        saying interruption: String = "interrupted before it was done",
        _ operation: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let signals = await signals
        let task = Task(operation: operation)
        let watch = Task {
            for await _ in signals { task.cancel() }
        }
        defer { watch.cancel() }
        do {
            return try await task.value
        } catch let error where task.isCancelled {
            throw error is CancellationError ? ToolFailure(interruption, status: .interrupted) : error
        }
    }
}
