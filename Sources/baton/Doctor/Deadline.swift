// SPDX-License-Identifier: Apache-2.0

/// Work that is waited for so long and no longer, whatever it does.
enum Deadline {
    /// Runs a closure.
    ///
    /// It is cancelled when the time is over, and not waited for: it may heed nothing.
    ///
    /// - Returns: How it ended; nil if it had not when the time was over.
    static func run<Success: Sendable>(
        _ limit: Duration, _ work: @escaping @Sendable () async throws -> Success
    ) async -> Result<Success, any Error>? {
        let (ends, end) = AsyncStream.makeStream(of: Result<Success, any Error>?.self)
        let working = Task {
            do { end.yield(.success(try await work())) } catch { end.yield(.failure(error)) }
        }
        let waiting = Task {
            try? await Task.sleep(for: limit)
            end.yield(nil)
        }
        defer {
            working.cancel()
            waiting.cancel()
        }
        for await first in ends { return first }
        return nil
    }
}
