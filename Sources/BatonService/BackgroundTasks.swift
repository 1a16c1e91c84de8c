// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Tasks that nobody waits for in a scope, counted from their beginning to their end: what piles up
/// is seen in ``HandoffService/counts``.
final class BackgroundTasks: Sendable {
    private let underWay = Atomic(0)

    /// How many have begun and not ended, those that sleep among them.
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
