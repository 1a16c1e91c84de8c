// SPDX-License-Identifier: Apache-2.0

/// Runs a closure, and cancels it at a time limit.
///
/// - Throws: ``ConformanceFailure`` at the time limit, or the closure's error.
func within<Success: Sendable>(
    _ limit: Duration, _ check: String, _ what: String, _ body: @escaping @Sendable () async throws -> Success
) async throws -> Success {
    try await withThrowingTaskGroup(of: Success?.self) { group in
        group.addTask { try await body() }
        group.addTask {
            try await Task.sleep(for: limit)
            return nil
        }
        defer { group.cancelAll() }
        guard let first = try await group.next(), let result = first else {
            throw ConformanceFailure(check: check, detail: "\(what): not within \(limit)")
        }
        return result
    }
}
