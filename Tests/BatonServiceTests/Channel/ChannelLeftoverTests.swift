// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport
import NIOCore
import NIOEmbedded
import Synchronization
import TCPTransport
import Testing

@testable import BatonService

/// A clock that counts its readings.
private final class CountingClock: DeviceClock {
    private let questions = Atomic(0)
    var count: Int { questions.load(ordering: .relaxed) }
    let unixTime: Int64 = 0
    var uptime: Duration {
        questions.add(1, ordering: .relaxed)
        return .zero
    }
    func sleep(until uptime: Duration) async throws {}
}

/// Tests that channels release timers and memory.
@Suite struct ChannelLeftoverTests {
    @Test("The connection limiter's timer ends with its channel")
    func timer() throws {
        let clock = CountingClock()
        let connectionLimiter = ConnectionLimiter(clock: clock)
        let loop = EmbeddedEventLoop()
        let channels = [EmbeddedChannel(loop: loop), EmbeddedChannel(loop: loop)]
        let remote = Endpoint(transport: .tcp, address: "192.0.2.1", port: 1)
        for channel in channels { connectionLimiter.opened(channel, from: remote, over: TCPTransport()) }
        channels[0].close(promise: nil)
        loop.run()
        let before = clock.count
        loop.advanceTime(by: .seconds(KnockLimits.deadline.components.seconds))
        // Only the other channel's timer has read the clock.
        #expect(clock.count == before + 1)
    }

    @Test("A dialled channel does not keep its ClientHello")
    func clientHello() throws {
        let key = try #require(PairwiseKey(bytes: [UInt8](repeating: 7, count: 32)))
        let handler = KnockInitiatorHandler(key: key, transport: .simulated)
        let channel = EmbeddedChannel(handler: handler)
        func room() throws -> Int {
            // The buffer is private, so read it by reflection.
            try #require(Mirror(reflecting: handler).descendant("clientHello") as? ByteBuffer).capacity
        }
        channel.write(ByteBuffer(bytes: [22, 3, 1, 0, 6, 1, 0, 0, 2, 3, 3]), promise: nil)
        #expect(try room() > 0)
        channel.flush()
        #expect(try room() == 0)
        // The ClientHello is sent after the nonce has arrived.
        try channel.writeInbound(ByteBuffer(repeating: 1, count: 16))
        #expect(try channel.readOutbound(as: ByteBuffer.self) != nil)
    }
}
