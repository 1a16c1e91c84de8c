// SPDX-License-Identifier: Apache-2.0

import BatonClient
import UserActivity

extension ContinuationPair {
    /// Foundation's streams on a connected Unix socket, which becomes theirs.
    init(adopting descriptor: Int32, outcome: StreamSocket.Outcome?, successor: StreamSocket.Successor? = nil) {
        let socket = StreamSocket(adopting: descriptor, outcome: outcome, successor: successor)
        self.init(input: ContinuationInputStream(socket), output: ContinuationOutputStream(socket))
    }

    /// Foundation's streams on a connected Unix socket, which becomes theirs, and of whose end
    /// nobody else tells.
    package init(adopting descriptor: Int32) { self.init(adopting: descriptor, outcome: nil) }

    /// Foundation's streams on streams that were taken, which become theirs; their end is what the
    /// daemon says it was. When they are closed the daemon sees to what is still on its way.
    init(adopting streams: ContinuationStreams, of connection: DaemonConnection) {
        let stream = streams.identifier
        self.init(
            adopting: streams.descriptor, outcome: { try await connection.waitForEnd(of: stream) },
            successor: { connection.closeStreams(stream, end: $0, discards: $1) })
    }
}
