// SPDX-License-Identifier: Apache-2.0

import Threads

extension OwnThread {
    /// Begins some work, and waits for nothing. Where there can be no other thread, it is done on
    /// this one.
    static func startOrDoHere(_ body: @escaping @Sendable () -> Void) {
        do { try start(body) } catch { body() }
    }
}
