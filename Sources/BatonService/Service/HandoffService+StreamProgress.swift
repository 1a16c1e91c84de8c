// SPDX-License-Identifier: Apache-2.0

import BatonTransport
import Diagnosis
import NIOCore

/// Reports the progress of streams to the programs that follow them.
extension HandoffService {
    /// The shortest time between two reports about a pair of streams.
    static let progressPause = Duration.milliseconds(300)

    /// Returns the progress of a program's pair of streams. Then sends the program each change, at
    /// most one in ``progressPause``, until the pair has ended or the program has left.
    ///
    /// - Throws: ``BatonError/Code/notFound`` if the program has no such streams.
    public func followStreams(_ id: String, client: ClientID) async throws -> StreamProgress {
        let unknown = BatonError(.notFound, .streamsUnknown)
        guard let pair = streams[id], pair.client == client else { throw unknown }
        // During the pause between two reports, only the newest report is kept.
        let (reports, sink) = AsyncStream.makeStream(of: StreamProgress.self, bufferingPolicy: .bufferingNewest(1))
        guard let present = try await pair.handle.follow(sink).get() else { throw unknown }
        background.begin { try await self.tell(reports, of: id, to: client) }
        return present
    }

    private func tell(_ reports: AsyncStream<StreamProgress>, of id: String, to client: ClientID) async throws {
        try await clock.sleep(until: clock.uptime + Self.progressPause)
        // While nothing changes, this task sleeps.
        for await progress in reports {
            guard streams[id] != nil else { return }
            tellClient(.streamProgress(stream: id, client: client, progress))
            try await clock.sleep(until: clock.uptime + Self.progressPause)
        }
    }
}
