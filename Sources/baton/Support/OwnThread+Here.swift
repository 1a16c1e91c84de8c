// SPDX-License-Identifier: Apache-2.0

import Threads

extension OwnThread {
    /// Starts work on a new thread without waiting for it. If no thread can be created, does the
    /// work on the calling thread.
    static func startOrDoHere(_ body: @escaping @Sendable () -> Void) {
        do { try start(body) } catch { body() }
    }
}
