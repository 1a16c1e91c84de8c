// SPDX-License-Identifier: Apache-2.0

/// Runs work with a strict time limit.
enum Deadline {
    /// Runs a closure.
    ///
    /// At the time limit the closure is cancelled but not waited for, because it may ignore the
    /// cancellation.
    ///
    /// - Returns: The closure's result, or `nil` if it had not ended at the time limit.
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
