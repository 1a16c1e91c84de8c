// SPDX-License-Identifier: Apache-2.0

import Threads

extension OwnThread {
    /// Starts work on a new thread without waiting. If no thread can be created, does the work on
    /// this one.
    static func startOrDoHere(_ body: @escaping @Sendable () -> Void) {
        do { try start(body) } catch { body() }
    }
}
