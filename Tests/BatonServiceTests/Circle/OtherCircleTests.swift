// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTesting
import BatonTransport
import Crypto
import NIOCore
import NIOSSL
import Testing

@testable import BatonService
@testable import SimulatedTransport

extension ServiceTests.CircleLane {
    struct OtherCircleTests {
        @Test("A device of another circle sees no offers, its beacon is ignored, and its knock is refused")
        func anotherCircle() async throws {
            try await World.with { world in
                let (anna, berta) = try await world.pair()
                let eve = try await world.device("eve")
                try await eve.service.createCircle(name: "")
                try await eve.publish("evil")
                try await anna.publish("note")
                _ = try await berta.offer(ofType: "note")

                // Both beacons are on the air. Eve's beacon is heard, but no device of this circle
                // can open it.
                let (annasBeacon, evesBeacon) = (
                    try #require(await anna.radio.payload), try #require(await eve.radio.payload)
                )
                #expect(await eve.service.opened(annasBeacon) == nil)
                #expect(await berta.service.opened(evesBeacon) == nil)
                #expect(await anna.service.opened(annasBeacon) != nil)
                await berta.service.radioEvent(.sighted(Sighting(address: "eve", payload: evesBeacon, signal: nil)))
                await eve.service.radioEvent(.sighted(Sighting(address: "anna", payload: annasBeacon, signal: nil)))
                #expect(await eve.service.offers().isEmpty)
                #expect(await berta.service.offers().allSatisfy { $0.deviceName == "anna" })

                // If Eve knew all public keys of anna, she could knock only with this key.
                let own = await eve.service.identity
                let theirs = await anna.service.identity
                let circle = try #require(await anna.service.circle)
                let key = try #require(PairwiseKey(own: own, peer: theirs.keys, circle: circle.id))
                let credential = PeerCredential(peer: .inviter, key: key) { _ in true }
                await #expect(throws: ChannelFailure.refused) {
                    try await eve.service.channels.dial(
                        anna.door, over: eve.radio, credential: credential, timeout: .seconds(30))
                }
            }
        }

        @Test("Advertisements that are not genuine cause no offer and no dial, whatever they contain")
        func anyAdvertisement() async throws {
            try await World.withPair { anna, berta in
                try await anna.publish("note")
                _ = try await berta.offer(ofType: "note")
                let genuine = try #require(await anna.radio.payload)
                var forgeries = (0...30).map { pattern($0, seed: UInt64($0)) }
                // Change each byte of a genuine beacon.
                forgeries += genuine.indices.map { index in
                    var bytes = genuine
                    bytes[index] ^= 1
                    return bytes
                }
                // Wait for the dial that fetched the type.
                await berta.dialsEnd()
                let links = await berta.service.counts["openLinks"]
                let offers = await berta.service.offers()
                for payload in forgeries {
                    await berta.service.radioEvent(.sighted(Sighting(address: "x", payload: payload, signal: 127)))
                }
                #expect(await !berta.service.isHeard(anna, at: "x"))
                await berta.service.radioEvent(.lost(address: ""))
                #expect(await berta.service.offers() == offers)
                #expect(await berta.service.counts["dials"] == 0)
                #expect(await berta.service.counts["openLinks"] == links)
            }
        }

        @Test(
            "A channel whose ClientHello has no X25519 key share is closed without a HelloRetryRequest",
            arguments: [
                [NIOTLSCurve.secp256r1, .x25519], [.secp256r1],
            ])
        func noKeyShare(curves: [NIOTLSCurve]) async throws {
            try await World.withReachablePair { anna, berta in
                var configuration = TLSConfiguration.makeClientConfiguration()
                configuration.curves = curves
                configuration.minimumTLSVersion = .tlsv13
                configuration.certificateVerification = .none
                configuration.applicationProtocols = [DeviceCertificate.applicationProtocol]
                let context = try NIOSSLContext(configuration: configuration)
                let credential = try await berta.credential(of: anna)
                let hasEnded = Watched(false)
                let channel = try await berta.radio.connect(to: anna.door, timeout: .seconds(30)) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandlers([
                            Recorder(hasEnded), KnockInitiatorHandler(key: credential.key, transport: .simulated),
                            try NIOSSLClientHandler(context: context, serverHostname: nil),
                        ])
                    }
                }
                _ = try await hasEnded.wait("the end") { $0 ? true : nil }
                try await channel.closeFuture.get()
                #expect(await anna.service.counts["openLinks"] == 0)
            }
        }

        /// Records the received bytes, and expects only the nonce, the answer to a valid knock, and
        /// an alert.
        private final class Recorder: ChannelInboundHandler {
            typealias InboundIn = ByteBuffer
            typealias InboundOut = ByteBuffer
            private let hasEnded: Watched<Bool>
            private var all: [UInt8] = []

            init(_ hasEnded: Watched<Bool>) { self.hasEnded = hasEnded }

            func channelRead(context: ChannelHandlerContext, data: NIOAny) {
                all += unwrapInboundIn(data).readableBytesView
                context.fireChannelRead(data)
            }

            func channelInactive(context: ChannelHandlerContext) {
                #expect(all.count >= 32, "the knock was good and was answered")
                #expect(all.count < 64)
                #expect(all.dropFirst(32).first != 22, "no handshake record")
                hasEnded.change { $0 = true }
                context.fireChannelInactive()
            }
        }
    }
}

extension HandoffService {
    /// Returns the beacon that this device reads in an advertisement.
    func opened(_ payload: [UInt8]) -> OpenedBeacon? { advertising.keys.open(payload, at: clock.unixTime) }
}
