// SPDX-License-Identifier: Apache-2.0

import BatonTransport
import NIOCore
import Synchronization

/// A channel with a collector at the end of its pipeline.
struct CollectedChannel: Sendable {
    var channel: any Channel
    var collector: ByteCollector

    /// Writes bytes, and returns when the system has accepted them.
    func write(_ bytes: [UInt8]) async throws {
        try await channel.writeAndFlush(ByteBuffer(bytes: bytes)).get()
    }
}

/// The listening end of a check. The server keeps the channels that it accepts.
final class ConformanceServer: Sendable {
    private let listener: any Listener
    private let accepted: Accepted
    let endpoint: Endpoint

    /// The accepted channels.
    private final class Accepted: Sendable {
        let stream: AsyncStream<(CollectedChannel, Endpoint)>
        let continuation: AsyncStream<(CollectedChannel, Endpoint)>.Continuation
        let all = Mutex<[any Channel]>([])
        init() { (stream, continuation) = AsyncStream.makeStream() }
    }

    private init(listener: any Listener, accepted: Accepted, endpoint: Endpoint) {
        self.listener = listener
        self.accepted = accepted
        self.endpoint = endpoint
    }

    static func listen(_ transport: any ChannelTransport, _ check: String, echoes: Bool) async throws
        -> ConformanceServer
    {
        let accepted = Accepted()
        let listener = try await transport.listen { channel, endpoint in
            channel.eventLoop.makeCompletedFuture {
                let collector = ByteCollector()
                try channel.pipeline.syncOperations.addHandler(CollectingHandler(collector, echoes: echoes))
                accepted.all.withLock { $0.append(channel) }
                accepted.continuation.yield((CollectedChannel(channel: channel, collector: collector), endpoint))
            }
        }
        guard let endpoint = await listener.endpoints().first, endpoint.transport == transport.kind else {
            await listener.close()
            throw ConformanceFailure(check: check, detail: "the listener names no endpoint of its own transport")
        }
        return ConformanceServer(listener: listener, accepted: accepted, endpoint: endpoint)
    }

    /// Returns the next accepted channel and its peer.
    func next(_ check: String) async throws -> (CollectedChannel, Endpoint) {
        for await channel in accepted.stream { return channel }
        throw ConformanceFailure(check: check, detail: "cancelled before a channel was accepted")
    }

    func stopListening() async { await listener.close() }

    func close() async {
        await listener.close()
        for channel in accepted.all.withLock(\.self) { try? await channel.close() }
    }
}
