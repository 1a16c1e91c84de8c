// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// What is asked of stores, one after the other: what was deleted is not kept again by a save that was asked for before.
enum StoreQueue {
    private static let last = Mutex<Task<Void, Never>?>(nil)

    /// Does something after all that was asked for until now.
    ///
    /// - Returns: The task, to wait for its end.
    @discardableResult
    static func add(_ work: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        last.withLock { last in
            let task = Task { [before = last] in
                await before?.value
                await work()
            }
            last = task
            return task
        }
    }
}
