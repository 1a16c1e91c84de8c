// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc

/// SIGINT and SIGTERM as an orderly end: the running operation is cancelled, and cleans up behind itself.
final class Termination: @unchecked Sendable {
    /// The first signal, then the end of the stream.
    let signals: AsyncStream<Int32>

    // Unchecked for these alone: dispatch sources are thread-safe, and the array never changes.
    private let sources: [any DispatchSourceSignal]

    /// Takes the signals over for the rest of the process.
    init() {
        let (stream, sink) = AsyncStream.makeStream(of: Int32.self)
        signals = stream
        sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                sink.yield(number)
                sink.finish()
            }
            source.activate()
            return source
        }
    }

    deinit {
        for source in sources { source.cancel() }
    }

    /// Runs an operation that a signal cancels.
    ///
    /// - Parameter operation: What to do; it returns or throws soon after it is cancelled.
    /// - Returns: What it returns.
    /// - Throws: ``ToolFailure`` when a signal came first, else what it throws.
    static func cancels<Result: Sendable>(_ operation: @escaping @Sendable () async throws -> Result) async throws
        -> Result
    {
        let termination = Termination()
        let task = Task(operation: operation)
        let watch = Task {
            for await _ in termination.signals { task.cancel() }
        }
        defer { watch.cancel() }
        do {
            return try await task.value
        } catch let error where task.isCancelled {
            throw error is CancellationError ? ToolFailure("interrupted before it was done") : error
        }
    }
}
