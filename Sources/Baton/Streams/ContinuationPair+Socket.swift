// SPDX-License-Identifier: Apache-2.0

import UserActivity

extension ContinuationPair {
    /// Foundation's streams on a connected Unix socket, which becomes theirs.
    init(adopting descriptor: Int32, outcome: StreamSocket.Outcome?) {
        let socket = StreamSocket(adopting: descriptor, outcome: outcome)
        self.init(input: ContinuationInputStream(socket), output: ContinuationOutputStream(socket))
    }
}
