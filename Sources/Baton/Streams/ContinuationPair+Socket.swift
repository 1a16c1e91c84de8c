// SPDX-License-Identifier: Apache-2.0

import BatonClient
import UserActivity

extension ContinuationPair {
    /// Foundation's streams on a connected Unix socket, which becomes theirs.
    init(adopting descriptor: Int32, outcome: StreamSocket.Outcome?) {
        let socket = StreamSocket(adopting: descriptor, outcome: outcome)
        self.init(input: ContinuationInputStream(socket), output: ContinuationOutputStream(socket))
    }

    /// Foundation's streams on a connected Unix socket, which becomes theirs, and of whose end
    /// nobody else tells.
    package init(adopting descriptor: Int32) { self.init(adopting: descriptor, outcome: nil) }

    /// Foundation's streams on streams that were taken, which become theirs; their end is what the
    /// daemon says it was.
    init(adopting streams: ContinuationStreams, of connection: DaemonConnection) {
        self.init(adopting: streams.descriptor) { try await connection.waitForEnd(of: streams.identifier) }
    }
}
