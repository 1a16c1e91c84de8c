// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

/// Where a signal's handler writes; a handler may do little else.
private nonisolated(unsafe) var pipeOfSignals: Int32 = -1

/// SIGINT and SIGTERM as an orderly end: the running operation is cancelled, and cleans up behind itself.
///
/// A handler of its own, which writes to a pipe: libdispatch's signal sources on Linux lose a signal now and then (one in some hundreds, seen with Swift
/// 6.3.1), and a tool that does not heed Ctrl-C is hung to its user.
final class Termination: Sendable {
    /// The first signal, then the end of the stream.
    let signals: AsyncStream<Int32>

    /// Takes the signals over for the rest of the process; made once.
    init() {
        let (stream, sink) = AsyncStream.makeStream(of: Int32.self)
        signals = stream
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        pipeOfSignals = ends[1]
        let reader = ends[0]
        Thread.detachNewThread {
            if let number = Self.number(from: reader) { sink.yield(number) }
            sink.finish()
        }
        for number in [SIGINT, SIGTERM] {
            signal(number) { number in
                let saved = errno
                var byte = UInt8(truncatingIfNeeded: number)
                _ = write(pipeOfSignals, &byte, 1)
                errno = saved
            }
        }
    }

    /// Waits for a signal's number.
    private static func number(from pipe: Int32) -> Int32? {
        var byte: UInt8 = 0
        while true {
            let count = read(pipe, &byte, 1)
            if count == 1 { return Int32(byte) }
            guard count < 0, errno == EINTR else { return nil }
        }
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
