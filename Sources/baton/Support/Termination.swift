// SPDX-License-Identifier: Apache-2.0

import Glibc
import UnixSignals

/// Turns SIGINT, SIGTERM and SIGHUP into an orderly end.
///
/// The running operation is cancelled and cleans up.
///
/// A terminal sends SIGHUP when it closes.
enum Termination {
    /// The signals from now on. They no longer end the process.
    static var signals: UnixSignalsSequence {
        get async {
            guard endsWithItsTerminal else { return await UnixSignalsSequence(trapping: .sigint, .sigterm) }
            return await UnixSignalsSequence(trapping: .sigint, .sigterm, .sighup)
        }
    }

    /// Whether SIGHUP was not ignored when this program started. `nohup` ignores it, so that a
    /// program outlives its terminal.
    private static let endsWithItsTerminal: Bool = {
        var action = sigaction()
        guard sigaction(SIGHUP, nil, &action) == 0 else { return false }
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            != unsafeBitCast(SIG_IGN, to: Int.self)
    }()

    /// Runs an operation that a signal cancels.
    ///
    /// - Parameters:
    ///   - interruption: The message if the operation reports no better one.
    ///   - operation: The operation. It must end soon after it is cancelled.
    /// - Returns: The result of the operation.
    /// - Throws: ``ToolFailure`` when a signal came first, otherwise the operation's error.
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
