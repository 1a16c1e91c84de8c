// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTesting
import BatonTransport
import Testing

@testable import BatonService

extension ServiceTests {
    /// These tests repeat every kind of failure a hundred times. So a leak of one descriptor each
    /// time is visible although other tests open descriptors too. They run in their own lane,
    /// because they wait for a minute and a half.
    @Suite(.serialized) struct LeakTests {
        private static let times = 100
        private static let disturbance = 90

        private func expectNoLeak(_ body: () async throws -> Void) async throws {
            // Run once before counting, so that resources that open at the first use are open.
            try await body()
            let before = try #require(openDescriptorCount())
            for _ in 0..<Self.times { try await body() }
            try await eventually("the descriptors are closed again") {
                try #require(openDescriptorCount()) < before + Self.disturbance
            }
        }

        @Test("Strangers, refused members and refused invitations leak no descriptor")
        func refusals() async throws {
            try await World.with { world, clock in
                let (anna, berta) = try await world.pair(tcp: true, clock: clock)
                let door = Door(endpoint: try await anna.door, transport: try await world.radio("stranger"))
                let invitation = try await anna.service.invite().text
                let carla = try await world.device("carla", clock: clock)
                try await carla.service.joinCircle(invitation)
                let dora = try await world.device("dora", clock: clock)
                _ = try await anna.service.invite()
                try await expectNoLeak {
                    // At most 20 knocks are checked in a second.
                    clock.advance(by: .seconds(1))
                    let stranger = try await door.dial()
                    stranger.send([UInt8](repeating: 0, count: 100))
                    _ = try await stranger.receivedToEnd()
                    let channel = try await berta.dial(anna)
                    channel.send(.endAck)
                    await #expect(throws: ChannelFailure.refused) { try await channel.nextFrame(within: .seconds(30)) }
                    await #expect(throws: BatonError.self) { try await dora.service.joinCircle(invitation) }
                    #expect(throws: BatonError.self) { try StateFile(directory: anna.directory) }
                }
            }
        }

        @Test("Streams leak no descriptor, however they end", arguments: [false, true])
        func streams(tcp: Bool) async throws {
            try await World.withPair(tcp: tcp) { anna, berta, clock in
                try await anna.publish("draw", streams: true)
                try await expectNoLeak {
                    clock.advance(by: .seconds(1))
                    let continued = try await berta.takeOver("draw")
                    let ends = [try await berta.openStreams(continued.continuation), try await anna.streamsOpened()]
                    await ends[0].write([1])
                    // One app closes its streams, and the other reads the end.
                    ends[0].close()
                    _ = await ends[1].read()
                    ends[1].close()
                    let broken = [try await berta.openStreams(continued.continuation), try await anna.streamsOpened()]
                    // One pair of streams continues over another channel, and ends when its device
                    // stops.
                    await anna.service.breakStreams()
                    await anna.service.stopStreams()
                    for end in broken {
                        _ = await end.read()
                        end.close()
                    }
                    let refusal = try await berta.attach([UInt8](repeating: 0, count: 16), at: anna)
                    #expect(refusal == .reset(Reset(reason: .unknownToken)))
                    await berta.service.forgetContinuations()
                }
                try await anna.until("no stream is left", after: .traceLine) {
                    let (hers, theirs) = (
                        await anna.service.counts["streams"], await berta.service.counts["streams"]
                    )
                    return (hers, theirs) == (0, 0)
                }
            }
        }

        @Test("Services that start and stop leak no descriptor")
        func services() async throws {
            try await World.with { world in
                try await expectNoLeak {
                    let anna = try await world.device("anna", tcp: true)
                    await anna.service.stop()
                }
            }
        }
    }
}

extension HandoffService {
    /// Breaks the channels of all streams.
    func breakStreams() { for channel in streams.channels { channel.close() } }

    /// Ends all streams, as when their device leaves the circle.
    func stopStreams() { for pair in streams.all { pair.handle.stop() } }
}
