// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Counts tasks that no scope waits for, from their beginning to their end.
///
/// Tasks that pile up are visible in ``HandoffService/counts``.
final class BackgroundTasks: Sendable {
    private let underWay = Atomic(0)

    /// The number of tasks that have begun and not ended, including those that sleep.
    var count: Int { underWay.load(ordering: .relaxed) }

    /// Begins a task.
    @discardableResult
    func begin<Success: Sendable>(
        _ work: @escaping @Sendable () async throws -> Success
    ) -> Task<Success, any Error> {
        underWay.add(1, ordering: .relaxed)
        return Task { [self] in
            defer { underWay.subtract(1, ordering: .relaxed) }
            return try await work()
        }
    }
}
