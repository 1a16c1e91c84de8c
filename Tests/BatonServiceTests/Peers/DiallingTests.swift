// SPDX-License-Identifier: Apache-2.0

import BatonTesting
import BatonTransport
import Diagnosis
import NIOCore
import NIOEmbedded
import SimulatedTransport
import Testing
import TraceModel

@testable import BatonProtocol
@testable import BatonService

extension ServiceTests.PeerLane {
    struct DiallingTests {
        @Test("A dial that was refused for a temporary reason is repeated on a fresh link", arguments: [1, 2])
        func refusedAtFirst(refusals: Int) async throws {
            try await World.with { world in
                let (anna, berta, radio) = try await Self.strangers(in: world)
                radio.refusals = refusals
                try await berta.service.joinCircle(anna.service.invite().text)
                #expect(radio.refusals == 0)
                #expect(radio.dropped.count == refusals)
            }
        }

        @Test(
            "On a crowded air a dial is repeated eleven times if each loses a packet, and not once more",
            arguments: [11, 12])
        func losses(count: Int) async throws {
            try await World.with { world in
                let (anna, berta, radio) = try await Self.strangers(in: world)
                radio.losses = count
                let invitation = try await anna.service.invite().text
                if count < Dialler.attemptsWithLosses {
                    try await berta.service.joinCircle(invitation)
                } else {
                    await #expect(throws: BatonError.self) { try await berta.service.joinCircle(invitation) }
                }
                #expect(radio.losses == 0 && radio.dials.count >= count)
            }
        }

        @Test("A refused dial is repeated after 100 ms, and once more after another 200 ms")
        func pause() async throws {
            try await World.with { world in
                let (anna, berta, radio) = try await Self.strangers(in: world)
                radio.refusals = 2
                try await berta.service.joinCircle(anna.service.invite().text)
                let dials = radio.dials
                #expect(dials.count >= 3)
                #expect(dials[1] - dials[0] >= .milliseconds(100) && dials[2] - dials[1] >= .milliseconds(200))
            }
        }

        @Test("If both devices' dials to each other fail, the one with the greater id waits 2 s longer than the other")
        func mutualDials() async throws {
            try await World.withReachablePair { anna, berta in
                let (first, second) = (await anna.identityID, await berta.identityID)
                let yields = [
                    await anna.service.yields(to: .member(second)), await berta.service.yields(to: .member(first)),
                ]
                #expect(
                    yields == (first.bytes.lexicographicallyPrecedes(second.bytes) ? [false, true] : [true, false]))
                #expect(await !anna.service.yields(to: .paired))
                #expect(await !anna.service.yields(to: .inviter))
            }
            let unheard = TransportError(.unreachable, "no answer in time")
            func pause(_ error: any Error, after time: Duration, yields: Bool) -> Duration {
                Dialler.pause(afterDial: 1, failedWith: error, after: time, yields: yields)
            }
            #expect(pause(unheard, after: .seconds(4), yields: true) == .milliseconds(2_100))
            #expect(pause(unheard, after: .seconds(4), yields: false) == .milliseconds(100))
            // A lost packet ends a dial sooner, and a silent knock is not a failure of the radio.
            #expect(pause(unheard, after: .seconds(1), yields: true) == .milliseconds(100))
            #expect(pause(ChannelFailure.timedOut, after: .seconds(6), yields: true) == .milliseconds(100))
        }

        @Test("The dialling device gives up a peer that accepts a channel and sends nothing after 6 s")
        func silentAcceptor() throws {
            let channel = EmbeddedChannel()
            let key = try #require(PairwiseKey(bytes: [UInt8](repeating: 7, count: 32)))
            try channel.pipeline.syncOperations.addHandler(KnockInitiatorHandler(key: key, transport: .l2cap))
            // The connection may take longer.
            channel.embeddedEventLoop.advanceTime(by: .seconds(10))
            try channel.connect(to: SocketAddress(unixDomainSocketPath: "/peer")).wait()
            channel.embeddedEventLoop.advanceTime(by: .seconds(6) - .nanoseconds(1))
            #expect(channel.isActive)
            channel.embeddedEventLoop.advanceTime(by: .nanoseconds(1))
            #expect(!channel.isActive)
            let error = #expect(throws: ChannelFailure.self) { try channel.throwIfErrorCaught() }
            #expect(error.map { if case .timedOut = $0 { true } else { false } } == true)
        }

        @Test("The time for the knock and the handshake begins when the channel opens, however long that takes")
        func slowConnection() async throws {
            try await World.withReachablePair { anna, berta in
                let slow = SlowTransport(proxied: berta.radio)
                var channels = await berta.service.channels
                channels.patience = .anHour
                channels.patience.handshake = .seconds(5)
                let (dialling, credential) = (channels, try await berta.credential(of: anna))
                let dial = Task {
                    try await dialling.dial(anna.door, over: slow, credential: credential, timeout: .seconds(60))
                }
                try await slow.hasConnected.wait("the connection") { $0 ? () : nil }
                await slow.channel.testingEventLoop.advanceTime(by: .seconds(5) - .nanoseconds(1))
                #expect(slow.channel.isActive)
                await slow.channel.testingEventLoop.advanceTime(by: .nanoseconds(1))
                #expect(!slow.channel.isActive)
                let error = await #expect(throws: ChannelFailure.self) { try await dial.value }
                #expect(error.map { if case .timedOut = $0 { true } else { false } } == true)
            }
        }

        /// A transport that takes 20 s to open its one channel, at whose other end nothing
        /// answers.
        private final class SlowTransport: TransportProxy {
            let proxied: any ChannelTransport
            let channel = NIOAsyncTestingChannel()
            let hasConnected = Watched(false)

            init(proxied: any ChannelTransport) { self.proxied = proxied }

            func connect(
                to endpoint: Endpoint, timeout: Duration, initializer: @escaping ChannelInitializer
            ) async throws -> any Channel {
                defer { hasConnected.change { $0 = true } }
                try await channel.eventLoop.flatSubmit { [channel] in initializer(channel) }.get()
                await channel.testingEventLoop.advanceTime(by: .seconds(20))
                try await channel.connect(to: SocketAddress(unixDomainSocketPath: "/peer")).get()
                return channel
            }
        }

        @Test("A radio channel that became secure just before its dial was cancelled is closed")
        func securedAndCancelled() async throws {
            try await World.with { world in
                // The other device would close the channel only after an hour.
                let (anna, berta) = try await world.reachablePair(patience: .anHour)
                let (door, credential) = (try await anna.door, try await berta.credential(of: anna))
                let canceller = Canceller()
                let dialler = Dialler(
                    transports: berta.service.transports, channels: await berta.service.channels,
                    clock: berta.service.clock, logger: berta.service.logger, trace: berta.service.trace,
                    delegate: canceller)
                let race = Task { try await dialler.race([door], credential: credential) }
                canceller.race.change { $0 = race }
                await #expect(throws: HandoffError.self) { try await race.value }
                let channel = try #require(canceller.secured.value)
                try await channel.channel.closeFuture.get()
            }
        }

        /// Cancels a race when its first channel is secure.
        private final class Canceller: DiallerDelegate {
            let race = Watched<Task<SecureChannel, any Error>?>(nil)
            let secured = Watched<SecureChannel?>(nil)

            func answered(_ channel: SecureChannel) async {
                secured.change { $0 = channel }
                let race = try? await race.wait("the race") { $0 }
                race?.cancel()
            }

            func isOpenOnRadio(to peer: ChannelPeer) async -> Bool { false }
            func yields(to peer: ChannelPeer) async -> Bool { false }
            func ownFirst(_ endpoints: [Endpoint], of peer: ChannelPeer) async -> [Endpoint] { endpoints }
            func traced(_ peer: ChannelPeer) async -> [TraceField] { [] }
        }

        @Test("A peer that has proved itself and does not complete TLS is given up")
        func silentInTLS() async throws {
            try await World.withReachablePair { anna, berta in
                let radio = RefusingRadio(berta.radio)
                (radio.silences, radio.bytesBeforeSilence) = (1, Self.knockAnswer)
                var channels = await berta.service.channels
                #expect(channels.patience.handshake == .seconds(15))
                channels.patience = .anHour
                channels.patience.handshake = .milliseconds(500)
                let credential = try await berta.credential(of: anna)
                let dialling = channels
                let error = await #expect(throws: ChannelFailure.self) {
                    _ = try await dialling.dial(
                        anna.door, over: radio, credential: credential, timeout: .seconds(60))
                }
                #expect(error.map { if case .timedOut = $0 { true } else { false } } == true)
            }
        }

        @Test("A channel that falls silent in TLS is dropped after 7 s, and dialled again while the user still waits")
        func silentInTLSAtFirst() async throws {
            #expect(ChannelPatience().silence == .seconds(7))
            #expect(SilenceLimits.handshake * 2 < SilenceLimits.device)
            try await World.with { world in
                var patience = ChannelPatience.anHour
                patience.silence = .seconds(1)
                let (anna, berta, radio) = try await Self.strangers(in: world, patience: patience)
                (radio.silences, radio.bytesBeforeSilence) = (1, Self.knockAnswer)
                try await berta.service.joinCircle(anna.service.invite().text)
                // On a busy machine, a second dial may be silent for a second, too.
                #expect(Set(radio.dropped.map(\.address)) == ["anna"])
            }
        }

        @Test("A secure channel may be silent for long, because its silence is not checked")
        func silentOnceSecure() async throws {
            try await World.withReachablePair { anna, berta in
                let credential = try await berta.credential(of: anna)
                let channel = try await berta.service.channels.dial(
                    anna.door, over: berta.radio, credential: credential, timeout: .seconds(60))
                await #expect(throws: ChannelPipelineError.self) {
                    try await channel.channel.pipeline.containsHandler(type: IdleStateHandler.self).get()
                }
                channel.close()
            }
        }

        @Test("A channel that was reset before it was secure is dialled again, at most three times", arguments: [2, 3])
        func resetAtFirst(resets: Int) async throws {
            try await World.with { world in
                let (anna, berta, radio) = try await Self.strangers(in: world)
                radio.resets = resets
                let invitation = try await anna.service.invite().text
                if resets < 3 { return try await berta.service.joinCircle(invitation) }
                let error = await #expect(throws: BatonError.self) {
                    try await berta.service.joinCircle(invitation)
                }
                #expect(error?.reason?.failure == .invitationUnanswered)
            }
        }

        @Test("If a channel was silent until its limit, its link is dropped, and the peer is dialled again")
        func silentAtFirst() async throws {
            try await World.with { world in
                // The clock stands still, so the three seconds after which anna would close the
                // channel never end.
                let (anna, berta, radio) = try await Self.strangers(
                    in: world, clock: ManualClock(unixTime: SystemClock().unixTime))
                radio.silences = 1
                try await berta.service.joinCircle(anna.service.invite().text)
                #expect(radio.dropped.map(\.address) == ["anna"])
            }
        }

        @Test("After three refused dials the log has the radio's reason")
        func refusedThrice() async throws {
            try await World.with { world in
                let (anna, berta, radio) = try await Self.strangers(in: world)
                radio.refusals = 4
                let invitation = try await anna.service.invite().text
                let error = await #expect(throws: BatonError.self) {
                    try await berta.service.joinCircle(invitation)
                }
                #expect(error?.reason?.failure == .invitationUnanswered)
                let line = "berta: info: anna does not answer to the invitation: no answer: move closer (ECONNREFUSED)"
                #expect(berta.signs.hasLine(line))
                #expect(radio.refusals == 1)
            }
        }

        @Test("A pairing's dial that was refused for a temporary reason is repeated", arguments: [1, 2])
        func refusedPairing(refusals: Int) async throws {
            try await World.with { world in
                let (anna, berta, radio) = try await Self.strangers(in: world)
                radio.refusals = refusals
                let waiting = Task { try await anna.service.pair(address: nil, client: Device.app) }
                defer { waiting.cancel() }
                try await anna.doorOpens()
                let dialled = try await berta.service.pair(endpoint: anna.door, client: Device.app)
                #expect(try await dialled.digits == waiting.value.digits)
                #expect(radio.refusals == 0)
            }
        }

        @Test(
            "A pairing channel that is closed before any byte has arrived is dialled again, at most three times",
            arguments: [2, 3])
        func hungUpBeforeAWord(hangUps: Int) async throws {
            try await World.with { world in
                let (anna, berta, radio) = try await Self.strangers(in: world)
                radio.hangUps = hangUps
                let waiting = Task { try await anna.service.pair(address: nil, client: Device.app) }
                defer { waiting.cancel() }
                try await anna.doorOpens()
                let dialling = Task { try await berta.service.pair(endpoint: anna.door, client: Device.app) }
                guard hangUps < 3 else {
                    await #expect(throws: BatonError.self) { try await dialling.value }
                    return
                }
                #expect(try await dialling.value.digits == waiting.value.digits)
            }
        }

        /// The bytes that a knock receives: a nonce and an answer.
        private static let knockAnswer = 32

        /// Returns a device with a circle, a device without a circle, and the radio of the device
        /// without a circle.
        private static func strangers(
            in world: World, clock: any DeviceClock = SystemClock(), patience: ChannelPatience = .init()
        ) async throws -> (Device, Device, RefusingRadio) {
            let anna = try await world.device("anna", clock: clock, patience: patience)
            let (berta, radio) = try await world.device("berta", patience: patience, radioProxy: { RefusingRadio($0) })
            try await anna.service.createCircle(name: "")
            return (anna, berta, radio)
        }
    }
}
