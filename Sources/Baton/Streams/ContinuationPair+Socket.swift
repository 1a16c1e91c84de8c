// SPDX-License-Identifier: Apache-2.0

import BatonClient
import UserActivity

extension ContinuationPair {
    /// Creates Foundation streams that own a connected Unix socket.
    init(
        adopting descriptor: Int32, outcome: StreamSocket.Outcome?, successor: StreamSocket.Successor? = nil,
        follow: StreamSocket.Follow? = nil
    ) {
        let socket = StreamSocket(adopting: descriptor, outcome: outcome, successor: successor, follow: follow)
        self.init(input: ContinuationInputStream(socket), output: ContinuationOutputStream(socket))
    }

    /// Creates Foundation streams that own a Unix socket. Every end of file counts as a regular end
    /// of the stream.
    package init(adopting descriptor: Int32) { self.init(adopting: descriptor, outcome: nil) }

    /// Creates Foundation streams that own the streams of a continuation.
    ///
    /// The daemon says whether the streams ended well. After they are closed, the daemon delivers
    /// the bytes that are still on their way.
    init(adopting streams: ContinuationStreams, of connection: DaemonConnection) {
        let stream = streams.identifier
        self.init(
            adopting: streams.descriptor, outcome: { try await connection.waitForEnd(of: stream) },
            successor: { connection.closeStreams(stream, end: $0, discards: $1) },
            follow: { try await connection.progress(of: stream) })
    }
}
