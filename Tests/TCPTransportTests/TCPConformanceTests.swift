// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTesting
import BatonTransport
import NIOCore
import TCPTransport
import Testing

/// The channel suite over loopback; one at a time, for one of its checks counts descriptors.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct TCPConformanceTests {
    @Test(arguments: ChannelTransportConformance.checks)
    func conforms(_ check: ChannelTransportConformance.Check) async throws {
        let suite = ChannelTransportConformance {
            // A port that was just given back: nobody listens there.
            let gone = try await TCPTransport(includesLoopback: true).listen { channel, _ in
                channel.eventLoop.makeSucceededVoidFuture()
            }
            let port = try #require(await gone.endpoints().first).port
            await gone.close()
            return ChannelTransportConformance.Ends(
                listening: TCPTransport(includesLoopback: true), dialling: TCPTransport(),
                nobody: Endpoint(transport: .tcp, address: "127.0.0.1", port: port))
        }
        try await suite.run(check)
    }
}
