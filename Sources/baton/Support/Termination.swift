// SPDX-License-Identifier: Apache-2.0

import Glibc
import UnixSignals

/// Ends the tool in an orderly way after SIGINT, SIGTERM or SIGHUP.
///
/// The signal cancels the running operation, which then cleans up.
///
/// The tool gets SIGHUP when its terminal closes.
enum Termination {
    /// The signals that arrive from now on. These signals no longer end the process.
    static var signals: UnixSignalsSequence {
        get async {
            guard endsWithItsTerminal else { return await UnixSignalsSequence(trapping: .sigint, .sigterm) }
            return await UnixSignalsSequence(trapping: .sigint, .sigterm, .sighup)
        }
    }

    /// Whether SIGHUP ends this program. `nohup` starts a program with SIGHUP ignored, so that it
    /// outlives its terminal.
    private static let endsWithItsTerminal: Bool = {
        var action = sigaction()
        guard sigaction(SIGHUP, nil, &action) == 0 else { return false }
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            != unsafeBitCast(SIG_IGN, to: Int.self)
    }()

    /// Runs an operation that a signal cancels.
    ///
    /// - Parameters:
    ///   - interruption: The message if the operation itself throws no message about the
    ///     interruption.
    ///   - operation: The operation, which must end soon after it is cancelled.
    /// - Returns: The result of the operation.
    /// - Throws: The operation's error. If a signal cancelled the operation, ``ToolFailure``
    ///   replaces `CancellationError`.
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
