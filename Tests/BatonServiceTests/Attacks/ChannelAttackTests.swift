// SPDX-License-Identifier: Apache-2.0

import BatonTesting
import BatonTransport
import NIOCore
import NIOSSL
import SimulatedTransport
import Testing

@testable import BatonProtocol
@testable import BatonService

extension ServiceTests.HandoverLane {
    /// Tests attacks on a channel. StrangerTests, MemberTests and RemovalTests contain the other
    /// attacks by strangers, members and removed devices. Documentation/ThreatModel.md lists all
    /// attacks.
    struct ChannelAttackTests {
        @Test("Relay: a knock that is relayed with another ClientHello gets no certificate")
        func relayedKnock() async throws {
            try await World.with { world in
                let (anna, berta) = try await world.reachablePair()
                let attacker = try await world.attacker()
                // The attacker sends berta the nonce that he got from anna.
                let stranger = try await Stranger.dial(anna.door, over: attacker.radio)
                let nonce = try await stranger.received(16)
                let endpoint = try await attacker.open { NonceHandler($0, nonce: nonce) }
                let dialled = Task {
                    try await berta.service.channels.dial(
                        endpoint, over: berta.radio, credential: berta.credential(of: anna), timeout: .seconds(30))
                }
                let caller = try await attacker.caller()
                let knock = try await caller.knock()
                // Berta made the MAC. The attacker made the ClientHello, and has the private key
                // for its key share.
                let own = clientHello()
                stranger.send(Array(knock[..<32]) + [UInt8(own.count >> 8), UInt8(own.count & 0xFF)] + own)
                #expect(try await stranger.receivedToEnd() == nonce)
                caller.channel.close(promise: nil)
                await #expect(throws: ChannelFailure.self) { try await dialled.value }
                #expect(await anna.service.counts["openLinks"] == 0)
            }
        }

        @Test("Downgrade: a member that offers only TLS 1.2 gets no certificate")
        func clientDowngrades() async throws {
            try await World.withReachablePair { anna, berta in
                let context = try Self.tls12(of: await berta.service.identity, isServer: false)
                let credential = try await berta.credential(of: anna)
                let seen = Caller.Seen()
                let channel = try await berta.radio.connect(to: anna.door, timeout: .seconds(30)) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandlers([
                            Recorder(seen), KnockInitiatorHandler(key: credential.key, transport: .simulated),
                            try NIOSSLClientHandler(context: context, serverHostname: nil),
                        ])
                    }
                }
                let bytes = try await seen.toEnd()
                try await channel.closeFuture.get()
                #expect(bytes.count >= 32 && bytes.count < 64, "nonce, answer, and an alert at most")
                #expect(bytes.dropFirst(32).first != 22, "no handshake record")
                #expect(await anna.service.counts["openLinks"] == 0)
            }
        }

        @Test("Downgrade: a device with all keys of a member but only TLS 1.2 gets no channel")
        func serverDowngrades() async throws {
            try await World.with { world in
                let (anna, berta) = try await world.reachablePair()
                let attacker = try await world.attacker()
                let context = try Self.tls12(of: await anna.service.identity, isServer: true)
                let (keyring, connectionLimiter) = await (anna.service.keyring, anna.service.channels.connectionLimiter)
                try await attacker.radio.advertise([0])
                let listener = try await attacker.radio.listen { channel, remote in
                    channel.eventLoop.makeCompletedFuture {
                        connectionLimiter.opened(channel, from: remote, over: attacker.radio)
                        try channel.pipeline.syncOperations.addHandlers([
                            KnockResponderHandler(
                                transport: .simulated, keyring: keyring, connectionLimiter: connectionLimiter,
                                pairing: PairingDoor(), pairs: {}, proved: { _ in }),
                            NIOSSLServerHandler(context: context),
                        ])
                    }
                }
                let endpoint = try #require(await listener.endpoints().first)
                await #expect(throws: ChannelFailure.self) {
                    try await berta.service.channels.dial(
                        endpoint, over: berta.radio, credential: berta.credential(of: anna), timeout: .seconds(30))
                }
            }
        }

        @Test(
            "HelloRetryRequest: a device with a member's key gets no second ClientHello when it asks for one",
            arguments: [[], [21, 3, 3, 0, 2, 1, 90]])
        func retryRequested(after alert: [UInt8]) async throws {
            try await World.with { world in
                let (anna, berta) = try await world.reachablePair()
                let attacker = try await world.attacker()
                let key = try await berta.credential(of: anna).key
                let endpoint = try await attacker.open { RetryHandler($0, key: key, after: alert) }
                await #expect(throws: ChannelFailure.self) {
                    try await berta.service.channels.dial(
                        endpoint, over: berta.radio, credential: berta.credential(of: anna), timeout: .seconds(30))
                }
                let caller = try await attacker.caller()
                let knock = try await caller.knock()
                #expect(try await caller.receivedToEnd() == knock, "nothing after the knock")
            }
        }

        @Test("Swapped identities: either side refuses one member's knock with another member's certificate")
        func swappedCertificates() async throws {
            try await World.withThree { anna, berta, carla in
                _ = try await anna.service.invite()
                try await berta.knows(["anna", "berta", "carla"])
                // Use carla's TLS certificate with berta's knock.
                let stolen = try await berta.credential(of: anna)
                let channel = try? await carla.service.channels.dial(
                    anna.door, over: carla.radio, credential: stolen, timeout: .seconds(30))
                if let channel {
                    channel.send(.hello(await carla.service.hello()))
                    await #expect(throws: ChannelFailure.self) { try await channel.nextFrame(within: .seconds(30)) }
                }
                let carlaID = await carla.identityID
                let members = await anna.service.circle?.roster.members ?? [:]
                for link in await anna.service.peers.links.open {
                    #expect(link.channel.certificateKey == members[link.device]?.keys.certificateKey)
                }
                // Berta knocks with the key that it shares with anna, but accepts only carla's
                // certificate.
                let swapped = PeerCredential(
                    peer: .member(carlaID), key: stolen.key, accepts: try await berta.credential(of: carla).accepts)
                await #expect(throws: ChannelFailure.self) {
                    try await berta.service.channels.dial(
                        anna.door, over: berta.radio, credential: swapped, timeout: .seconds(30))
                }
            }
        }

        @Test("Swapped identities: a roster in which the certificate keys of two members are exchanged is refused")
        func swappedRosterEntries() async throws {
            try await World.withThree { anna, berta, carla in
                try await berta.knows(["anna", "berta", "carla"])
                let one = await berta.service.identity.keys.certificateKey
                let two = await carla.service.identity.keys.certificateKey
                let before = try #require(await anna.service.circle)
                let genuine = try before.encoded()
                let bent = genuine.swapping(one, two)
                #expect(bent != genuine && bent.count == genuine.count)
                await anna.service.mergeCircle(bent, from: berta.identityID)
                #expect(await anna.service.circle == before)
                // A new device refuses the roster too, because the circle in a Welcome is checked
                // as strictly.
                let taken = try? Circle(encoded: bent)
                #expect(taken.map { $0.roster.members.count <= 1 } ?? true)
            }
        }

        @Test(
            "Any first frame closes the channel, except a member's Hello, Attach or Trial or an invited device's Join",
            arguments: [true, false])
        func everyFirstFrame(isMember: Bool) async throws {
            try await World.withReachablePair { anna, berta, clock in
                let invitation = try Invitation(text: await anna.service.invite().text, at: 0)
                let key = try #require(PairwiseKey(invitationSecret: invitation.secret))
                let credential =
                    isMember
                    ? try await berta.credential(of: anna) : PeerCredential(peer: .inviter, key: key) { _ in true }
                let allowed: Set<String> = isMember ? ["hello", "attach", "trial"] : ["join"]
                let before = await anna.service.circle
                for frame in Frame.oneOfEachKind where !allowed.contains(frame.kind) {
                    // At most 20 knocks are checked in a second.
                    clock.advance(by: .seconds(1))
                    let channel = try await berta.service.channels.dial(
                        anna.door, over: berta.radio, credential: credential, timeout: .seconds(30))
                    channel.send(frame)
                    await #expect(throws: ChannelFailure.refused, "\(frame.kind)") {
                        try await channel.nextFrame(within: .seconds(30))
                    }
                }
                #expect(await anna.service.counts["openLinks"] == 0)
                #expect(await anna.service.circle == before)
                #expect(await anna.service.counts["invitations"] == 2, "no invitation was used up")
            }
        }

        /// Returns a TLS 1.2 context with a device's certificate.
        private static func tls12(of identity: DeviceIdentity, isServer: Bool) throws -> NIOSSLContext {
            var configuration = try DeviceCertificate.configuration(of: identity, isServer: isServer)
            configuration.minimumTLSVersion = .tlsv12
            configuration.maximumTLSVersion = .tlsv12
            // In TLS 1.2, the agreed curves must include the certificate's curve.
            configuration.curves = [.x25519, .secp256r1]
            configuration.certificateVerification = .none
            return try NIOSSLContext(configuration: configuration)
        }
    }
}

/// Passes all bytes on, and records them.
private final class Recorder: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    private let seen: Caller.Seen

    init(_ seen: Caller.Seen) { self.seen = seen }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        seen.take(Array(unwrapInboundIn(data).readableBytesView))
        context.fireChannelRead(data)
    }

    func channelInactive(context: ChannelHandlerContext) {
        seen.end()
        context.fireChannelInactive()
    }
}

/// Answers a knock correctly, and then answers the ClientHello with a HelloRetryRequest. TLS would
/// obey it, because it has a cookie.
private final class RetryHandler: ChannelInboundHandler, @unchecked Sendable {
    // Sendable because it is used only on its channel's event loop.
    typealias InboundIn = ByteBuffer
    private let caller: Caller
    private let key: PairwiseKey
    /// The first bytes, which are a warning that TLS ignores.
    private let alert: [UInt8]
    private var knock = KnockResponder(transport: .simulated)
    private var hasSpoken = false

    init(_ caller: Caller, key: PairwiseKey, after alert: [UInt8]) {
        self.caller = caller
        self.key = key
        self.alert = alert
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { channelActive(context: context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        guard !hasSpoken else { return }
        hasSpoken = true
        perform(knock.start(), context)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = Array(unwrapInboundIn(data).readableBytesView)
        caller.take(bytes)
        perform(knock.received(bytes) { [KnockCandidate(id: .member(1), key: key)] }, context)
    }

    func channelInactive(context: ChannelHandlerContext) { caller.end() }

    private func perform(_ actions: [KnockResponder.Action], _ context: ChannelHandlerContext) {
        for action in actions {
            switch action {
            case .send(let bytes): context.writeAndFlush(NIOAny(ByteBuffer(bytes: bytes)), promise: nil)
            case .proved(_, let answer, let tls):
                context.writeAndFlush(NIOAny(ByteBuffer(bytes: answer + alert + Self.retry(of: tls))), promise: nil)
            case .tls: break
            case .closeSilently: context.close(promise: nil)
            }
        }
    }

    /// RFC 8446, section 4.1.4.
    private static func retry(of clientHello: [UInt8]) -> [UInt8] {
        let random: [UInt8] = [
            0xCF, 0x21, 0xAD, 0x74, 0xE5, 0x9A, 0x61, 0x11, 0xBE, 0x1D, 0x8C, 0x02, 0x1E, 0x65, 0xB8, 0x91,
            0xC2, 0xA2, 0x11, 0x16, 0x7A, 0xBB, 0x8C, 0x5E, 0x07, 0x9E, 0x09, 0xE2, 0xC8, 0xA8, 0x33, 0x9C,
        ]
        let session = Array(clientHello[43..<(44 + Int(clientHello[43]))])
        let extensions: [UInt8] = [0x00, 0x2B, 0, 2, 3, 4, 0x00, 0x2C, 0, 6, 0, 4, 1, 2, 3, 4]
        let body = [3, 3] + random + session + [0x13, 0x01, 0, 0, UInt8(extensions.count)] + extensions
        let message = [2, 0, 0, UInt8(body.count)] + body
        return [22, 3, 3, 0, UInt8(message.count)] + message
    }
}

extension [UInt8] {
    /// Returns the bytes with two parts of equal length exchanged wherever they occur.
    fileprivate func swapping(_ one: [UInt8], _ two: [UInt8]) -> [UInt8] {
        var result = self
        for index in indices where index + one.count <= count {
            let part = self[index..<(index + one.count)]
            if part.elementsEqual(one) { result.replaceSubrange(index..<(index + one.count), with: two) }
            if part.elementsEqual(two) { result.replaceSubrange(index..<(index + one.count), with: one) }
        }
        return result
    }
}
