// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTesting
import BatonTransport
import NIOCore
import SimulatedTransport
import Testing

@testable import BatonService

extension ServiceTests.CircleLane {
    /// Tests the limits for a member, and for an attacker that has some of a member's keys.
    struct MemberTests {
        @Test("A member's knock with another device's certificate is refused")
        func anotherCertificate() async throws {
            try await World.withReachablePair { anna, berta in
                let thief = SecureChannels(
                    certificate: try DeviceCertificate(identity: DeviceIdentity()),
                    keyring: await berta.service.keyring,
                    connectionLimiter: await berta.service.channels.connectionLimiter, clock: berta.service.clock,
                    logger: berta.service.logger)
                let channel = try? await thief.dial(
                    anna.door, over: berta.radio, credential: berta.credential(of: anna), timeout: .seconds(30))
                // The client's handshake may complete before the server has checked the
                // certificate, but the channel still ends.
                if let channel {
                    channel.send(.hello(await berta.service.hello()))
                    await #expect(throws: ChannelFailure.self) { try await channel.nextFrame(within: .seconds(30)) }
                }
                #expect(await anna.service.counts["openLinks"] == 0)
            }
        }

        @Test("A device that answers with a certificate other than the pinned one gets no channel")
        func answersWithAnotherCertificate() async throws {
            try await World.withReachablePair { anna, berta in
                let genuine = try await berta.credential(of: anna)
                let credential = PeerCredential(peer: genuine.peer, key: genuine.key) { _ in false }
                await #expect(throws: ChannelFailure.self) {
                    try await berta.service.channels.dial(
                        anna.door, over: berta.radio, credential: credential, timeout: .seconds(30))
                }
            }
        }

        @Test("A knock that is reflected to its sender opens no channel")
        func reflection() async throws {
            try await World.with { world in
                let (anna, berta) = try await world.reachablePair()
                let mirror = try await world.radio("mirror")
                try await mirror.advertise([0])
                let door = try await anna.door
                // The mirror relays a dial back to the device that dialled.
                let listener = try await mirror.listen { channel, _ in
                    channel.eventLoop.makeCompletedFuture {
                        let handler = Mirror { initializer in
                            try await mirror.connect(to: door, timeout: .seconds(30), initializer: initializer)
                        }
                        try channel.pipeline.syncOperations.addHandler(handler)
                    }
                }
                let endpoint = try #require(await listener.endpoints().first)
                let credential = try await anna.credential(of: berta)
                await #expect(throws: ChannelFailure.self) {
                    try await anna.service.channels.dial(
                        endpoint, over: anna.radio, credential: credential, timeout: .seconds(30))
                }
                #expect(await anna.service.counts["openLinks"] == 0)
                await listener.close()
            }
        }

        @Test("A first frame other than Hello, Attach or Join closes the channel")
        func firstFrame() async throws {
            try await World.withReachablePair { anna, berta in
                let first: [Frame] = [
                    .continueRequest(ContinueRequest(id: 1, activity: [1, 2, 3, 4, 5])), .endAck, .join([1]),
                    .joined([]),
                    .goodbye(Goodbye(reason: .idle)), .data(StreamData(offset: 0, bytes: [1])), .welcome([]),
                ]
                for frame in first {
                    let channel = try await berta.dial(anna)
                    channel.send(frame)
                    await #expect(throws: ChannelFailure.refused) { try await channel.nextFrame(within: .seconds(30)) }
                }
                #expect(await anna.service.counts["openLinks"] == 0)
            }
        }

        @Test(
            "An oversized, empty or unreadable frame closes the channel",
            arguments: [
                [0x00, 0x10, 0x00, 0x01] as [UInt8], [0xFF, 0xFF, 0xFF, 0xFF], [0, 0, 0, 0], [0, 0, 0, 2, 0xFF, 0xFF],
            ])
        func malformedFrame(bytes: [UInt8]) async throws {
            try await World.withReachablePair(patience: .anHour) { anna, berta in
                let channel = try await berta.dial(anna)
                // Write below the codec and above TLS, to send bytes that no encoder writes.
                let context = try await channel.channel.pipeline.context(handlerType: FrameCodec.self).map {
                    NIOLoopBound($0, eventLoop: channel.channel.eventLoop)
                }.get()
                try await channel.channel.eventLoop.submit {
                    context.value.writeAndFlush(NIOAny(ByteBuffer(bytes: bytes)), promise: nil)
                }.get()
                await #expect(throws: ChannelFailure.refused) { try await channel.nextFrame(within: .seconds(120)) }
                try await anna.publish("note")
                _ = try await berta.takeOver("note")
            }
        }

        @Test("A request that violates the session's rules closes the link, and the device can connect again")
        func brokenSession() async throws {
            try await World.withReachablePair { anna, berta in
                let channel = try await berta.dial(anna)
                channel.send(.hello(await berta.service.hello()))
                guard case .hello = try await channel.nextFrame(within: .seconds(30)) else {
                    Issue.record("no hello")
                    return
                }
                channel.send(.continued(Continued(id: 99, accepted: true)))
                await #expect(throws: ChannelFailure.refused) { try await channel.nextFrame(within: .seconds(30)) }
                try await anna.publish("note")
                _ = try await berta.takeOver("note")
            }
        }

        @Test("A device has at most eight control channels")
        func tooManyLinks() async throws {
            try await World.withReachablePair { anna, berta in
                let hello = await berta.service.hello()
                var channels: [SecureChannel] = []
                for _ in 0..<8 {
                    let channel = try await berta.dial(anna)
                    channel.send(.hello(hello))
                    _ = try await channel.nextFrame(within: .seconds(30))
                    channels.append(channel)
                }
                let ninth = try await berta.dial(anna)
                ninth.send(.hello(hello))
                await #expect(throws: ChannelFailure.refused) { try await ninth.nextFrame(within: .seconds(30)) }
                for channel in channels { channel.close() }
                try await anna.linksEnd()
            }
        }

        @Test("The number of a device's silent channels is limited, and the device is still served")
        func silentChannels() async throws {
            try await World.withReachablePair { anna, berta, clock in
                var channels: [SecureChannel] = []
                for _ in 0..<PendingChannels.maximumPerPeer + 5 {
                    // Stay below the limit of knocks per second.
                    clock.advance(by: .milliseconds(100))
                    channels.append(try await berta.dial(anna))
                }
                let waiting = try #require(await anna.service.counts["channelsWaiting"])
                #expect(waiting <= PendingChannels.maximumPerPeer)
                for channel in channels.prefix(5) {
                    await #expect(throws: ChannelFailure.refused) { try await channel.nextFrame(within: .seconds(30)) }
                }
                let last = try #require(channels.last)
                last.send(.hello(await berta.service.hello()))
                guard case .hello = try await last.nextFrame(within: .seconds(30)) else {
                    Issue.record("no hello")
                    return
                }
                for channel in channels { channel.close() }
            }
        }

        @Test("A device with an invitation may only join")
        func invitedMayOnlyJoin() async throws {
            try await World.withStrangers { anna, berta in
                try await anna.service.createCircle(name: "")
                try await anna.publish("note")
                let invitation = try Invitation(text: await anna.service.invite().text, at: 0)
                let key = try #require(PairwiseKey(invitationSecret: invitation.secret))
                let credential = PeerCredential(peer: .inviter, key: key) { _ in true }
                let frames: [Frame] = [
                    .hello(await berta.service.hello()),
                    .attach(Attach(token: [UInt8](repeating: 0, count: 16), generation: 1, nextOffset: 0, window: 1)),
                    .continueRequest(ContinueRequest(id: 1, activity: [1, 2, 3, 4, 5])),
                ]
                for frame in frames {
                    let channel = try await berta.service.channels.dial(
                        anna.door, over: berta.radio, credential: credential, timeout: .seconds(30))
                    channel.send(frame)
                    await #expect(throws: ChannelFailure.refused) { try await channel.nextFrame(within: .seconds(30)) }
                }
                #expect(await anna.service.counts["openLinks"] == 0)
                // A request with another device's keys is refused, and has used the invitation up.
                let channel = try await berta.service.channels.dial(
                    anna.door, over: berta.radio, credential: credential, timeout: .seconds(30))
                channel.send(.join(try JoinRequest(DeviceIdentity(), name: "x", circle: invitation.circle).encoded()))
                await #expect(throws: ChannelFailure.refused) { try await channel.nextFrame(within: .seconds(30)) }
                try await anna.until("the end of the invitation", after: .traceLine) {
                    await anna.service.counts["invitations"] == 0
                }
                #expect(await anna.service.members.count == 1)
            }
        }

        /// Relays a channel to another channel, which it dials.
        private final class Mirror: ChannelInboundHandler {
            typealias InboundIn = ByteBuffer
            typealias Dial = @Sendable (@escaping ChannelInitializer) async throws -> any Channel
            private let dial: Dial
            private var other: (any Channel)?
            private var waiting: [ByteBuffer] = []

            init(dial: @escaping Dial) { self.dial = dial }

            func channelActive(context: ChannelHandlerContext) {
                let (channel, bound) = (context.channel, NIOLoopBound(self, eventLoop: context.eventLoop))
                context.eventLoop.makeFutureWithTask { [dial] in
                    try await dial { other in
                        other.eventLoop.makeCompletedFuture {
                            try other.pipeline.syncOperations.addHandler(Forwarder(to: channel))
                        }
                    }
                }.whenSuccess { other in
                    bound.value.other = other
                    for buffer in bound.value.waiting { other.writeAndFlush(buffer, promise: nil) }
                }
            }

            func channelRead(context: ChannelHandlerContext, data: NIOAny) {
                guard let other else { return waiting.append(unwrapInboundIn(data)) }
                other.writeAndFlush(unwrapInboundIn(data), promise: nil)
            }

            func channelInactive(context: ChannelHandlerContext) { other?.close(promise: nil) }
        }

        private final class Forwarder: ChannelInboundHandler {
            typealias InboundIn = ByteBuffer
            private let other: any Channel

            init(to other: any Channel) { self.other = other }

            func channelRead(context: ChannelHandlerContext, data: NIOAny) {
                other.writeAndFlush(unwrapInboundIn(data), promise: nil)
            }

            func channelInactive(context: ChannelHandlerContext) { other.close(promise: nil) }
        }
    }
}

extension Device {
    /// The endpoint of this device's radio.
    var door: Endpoint {
        get async throws { try #require(await service.reachability.listeners[.simulated]?.endpoints().first) }
    }
}
