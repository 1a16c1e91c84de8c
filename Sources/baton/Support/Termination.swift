// SPDX-License-Identifier: Apache-2.0

import Glibc
import UnixSignals

/// SIGINT, SIGTERM and SIGHUP, which a terminal that closes sends, as an orderly end: the running
/// operation is cancelled, and cleans up behind itself.
enum Termination {
    /// The signals that come from now on; they end the process no more.
    static var signals: UnixSignalsSequence {
        get async {
            guard endsWithItsTerminal else { return await UnixSignalsSequence(trapping: .sigint, .sigterm) }
            return await UnixSignalsSequence(trapping: .sigint, .sigterm, .sighup)
        }
    }

    /// Whether SIGHUP does anything, as this program was started: `nohup` has one outlive its
    /// terminal.
    private static let endsWithItsTerminal: Bool = {
        var action = sigaction()
        guard sigaction(SIGHUP, nil, &action) == 0 else { return false }
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            != unsafeBitCast(SIG_IGN, to: Int.self)
    }()

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
