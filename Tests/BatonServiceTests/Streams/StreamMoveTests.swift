// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTesting
import BatonTransport
import Diagnosis
import HostAddresses
import LocalNetworks
import NIOCore
import SimulatedTransport
import Synchronization
import TCPTransport
import Testing

@testable import BatonService

extension ServiceTests.HandoverLane {
    /// Tests that streams continue over another channel without the apps noticing.
    struct StreamMoveTests {
        @Test("Streams whose channel breaks repeatedly continue over another, and lose nothing", arguments: [1, 2])
        func broken(seed: UInt64) async throws {
            try await World.withPair { anna, berta in
                let ends = try await StreamEnds(anna, berta)
                let transfer = Transfer(ends)
                var generator = SeededGenerator(seed: seed)
                for _ in 1...20 {
                    try await transfer.pass(400_000) {
                        try await transfer.hasBegun()
                        await (Bool.random(using: &generator) ? anna : berta).service.cutStreams()
                    }
                }
                try await transfer.isComplete(anna, berta)
            }
        }

        /// Makes dials by TCP fail until the pause before the next dial has its maximum length.
        private func dialledInVain(by device: Device, _ clock: ManualClock) async throws {
            /// Waits until the next dial is scheduled after one of these pauses, in seconds.
            func waitUntilDue(in pauses: [Int]) async throws {
                // A failed dial is recorded before the pause that follows it.
                try await device.until("a dial that has failed", after: .sleep) {
                    await device.service.hasFailedByTCP(at: clock.uptime)
                }
                let moments = Set(pauses.map { clock.uptime + .seconds($0) })
                await clock.waitForMoments { !moments.isDisjoint(with: $0) }
            }
            for pause in [1, 2, 4, 8, 16] {
                try await waitUntilDue(in: [pause])
                clock.advance(by: .seconds(pause))
            }
            // The next pause would be twice the previous one, which is 32 s, but the limit is 30
            // s.
            try await waitUntilDue(in: [30, 32])
            try #require(clock.moments.contains(clock.uptime + .seconds(30)))
        }

        @Test("Streams on the radio move to TCP within 30 s after TCP answers, and back when TCP ends, without loss")
        func moves() async throws {
            try await World.with { world, clock in
                let anna = try await world.device(
                    "anna", tcp: true, clock: clock, wrapTCP: { OneAddressTCP(proxied: $0) })
                let (berta, tcp) = try await world.device("berta", clock: clock, tcpProxy: { FailingTCP($0) })
                try await anna.makeCircle(with: berta)
                tcp.fail(by: .refused)
                let ends = try await StreamEnds(anna, berta)
                #expect(ends.other.transport == "simulated")
                let transfer = Transfer(ends)
                try await dialledInVain(by: berta, clock)
                try await transfer.pass(1_000_000) {
                    tcp.works()
                    clock.advance(by: .seconds(30))
                    try await anna.until("the streams go over TCP", after: .logLine) {
                        let (hers, theirs) = (await anna.service.streamChannel, await berta.service.streamChannel)
                        return hers?.transport == .tcp && theirs?.transport == .tcp
                    }
                }
                try await transfer.pass(1_000_000) {
                    tcp.fail(by: .refused)
                    await anna.service.cutStreams()
                    try await anna.until("the streams go over the radio", after: .logLine) {
                        let (hers, theirs) = (await anna.service.streamChannel, await berta.service.streamChannel)
                        return hers?.transport == .simulated && theirs?.transport == .simulated
                    }
                }
                try await transfer.pass(1_000_000) {}
                try await transfer.isComplete(anna, berta)
            }
        }

        /// Creates two devices of one circle with TCP. Berta's radio is heard too.
        private func pairWithTCP(
            _ world: World, clock: any DeviceClock = SystemClock()
        ) async throws -> (anna: Device, berta: Device, tcp: [StallingTCP]) {
            let made = Mutex<[StallingTCP]>([])
            func wrapped(_ tcp: TCPTransport) -> any ChannelTransport {
                let stalling = StallingTCP(OneAddressTCP(proxied: tcp))
                made.withLock { $0.append(stalling) }
                return stalling
            }
            let anna = try await world.device("anna", tcp: true, clock: clock, wrapTCP: wrapped)
            let berta = try await world.device("berta", tcp: true, clock: clock, wrapTCP: wrapped)
            try await anna.makeCircle(with: berta)
            return (anna, berta, made.withLock(\.self))
        }

        private func goOverTheRadio(_ anna: Device, _ berta: Device) async throws {
            try await anna.until("the streams go over the radio", after: .logLine) {
                let (hers, theirs) = (await anna.service.streamChannel, await berta.service.streamChannel)
                return hers?.transport == .simulated && theirs?.transport == .simulated
            }
        }

        @Test("Streams whose channel has stalled continue over the radio, whichever side notices", arguments: [0, 1])
        func stalled(seenBy side: Int) async throws {
            try await World.with { world in
                let (anna, berta, tcp) = try await pairWithTCP(world)
                try await berta.publish("org.example.other")
                let device = await berta.identityID
                try await anna.until("berta is heard", after: .traceLine) {
                    await anna.service.endpoints(of: device).contains { $0.transport == .simulated }
                }
                let ends = try await StreamEnds(anna, berta)
                #expect(ends.other.transport == "tcp")
                let transfer = Transfer(ends)
                try await transfer.pass(400_000) {
                    try await transfer.hasBegun()
                    tcp[side].stall()
                    try await goOverTheRadio(anna, berta)
                }
                try await transfer.isComplete(anna, berta)
            }
        }

        /// Puts a device into a network with the address of its streams, and takes it out of it.
        private func loseAddress(of berta: Device) async throws {
            let channel = try #require(await berta.service.streamChannel)
            let address = try #require(channel.localAddress.flatMap { HostAddress.parsing($0)?.bytes })
            let network = LocalNetwork(
                interface: 1, name: "lan", hasBroadcast: true, addresses: [.init(bytes: address, prefixLength: 8)],
                hasDefaultRoute: false, gateways: [])
            await berta.service.networksChanged([network])
            await berta.service.networksChanged([])
        }

        /// Lets a device lose the address of its streams. Returns when both devices use another
        /// channel.
        private func loseAddress(of berta: Device, _ anna: Device) async throws {
            let former = try #require(await berta.service.streamChannel)
            let theirs = try #require(await anna.service.streamChannel)
            try await loseAddress(of: berta)
            try await berta.until("the streams use another channel", after: .logLine) {
                let (present, hers) = (await berta.service.streamChannel, await anna.service.streamChannel)
                return present !== former && hers !== theirs
            }
        }

        @Test("Streams use another channel at once when this device has lost the address of their channel")
        func addressGone() async throws {
            try await World.with { world in
                // With a running clock, the streams would use the radio after three seconds without
                // an answer over TCP.
                let (anna, berta, _) = try await pairWithTCP(world, clock: ManualClock())
                let ends = try await StreamEnds(anna, berta)
                let transfer = Transfer(ends)
                try await transfer.pass(400_000) {
                    try await transfer.hasBegun()
                    try await loseAddress(of: berta, anna)
                }
                try await transfer.isComplete(anna, berta)
            }
        }

        @Test("After the loss of its own address, a device dials the other device at the same address at once")
        func roams() async throws {
            try await World.with { world, clock in
                let (anna, berta, _) = try await pairWithTCP(world, clock: clock)
                let ends = try await StreamEnds(anna, berta)
                #expect(ends.other.transport == "tcp")
                let transfer = Transfer(ends)
                // No radio, and the time stands still. So an address that is left out stays so.
                await anna.radio.stop()
                try await transfer.pass(400_000) {
                    try await transfer.hasBegun()
                    try await loseAddress(of: berta, anna)
                }
                #expect(await berta.service.streamChannel?.transport == .tcp)
                try await transfer.isComplete(anna, berta)
            }
        }

        @Test("A device dials the same address at once also if it noticed the stall before the loss of its own address")
        func roamsAfterStall() async throws {
            let clock = ManualClock()
            try await World.with { world in
                let (anna, berta, _) = try await pairWithTCP(world, clock: clock)
                let ends = try await StreamEnds(anna, berta)
                #expect(ends.other.transport == "tcp")
                let transfer = Transfer(ends)
                // No radio, and the time stands still. So an address that is left out stays so, and
                // a stall does not end by itself.
                await anna.radio.stop()
                try await transfer.pass(400_000) {
                    try await transfer.hasBegun()
                    let pair = try #require(await berta.service.streams.all.first)
                    pair.handle.reattach(1)
                    try await berta.until("the stall", after: .logLine) {
                        await berta.service.leavesOut(pair.channel.remote)
                    }
                    try await loseAddress(of: berta, anna)
                }
                #expect(await berta.service.streamChannel?.transport == .tcp)
                try await transfer.isComplete(anna, berta)
            }
        }

        @Test("Streams use another channel at once also when the address of their channel is lost a second time")
        func addressGoneAgain() async throws {
            try await World.with { world, clock in
                let anna = try await world.device(
                    "anna", tcp: true, clock: clock, wrapTCP: { OneAddressTCP(proxied: $0) })
                let (berta, tcp) = try await world.device("berta", clock: clock, tcpProxy: { FailingTCP($0) })
                try await anna.makeCircle(with: berta)
                let ends = try await StreamEnds(anna, berta)
                #expect(ends.other.transport == "tcp")
                let pair = try #require(await berta.service.streams.all.first)
                // Without the radio and TCP, no other channel opens.
                await anna.radio.stop()
                tcp.fail(by: .refused)
                try await loseAddress(of: berta)
                try await berta.until("the stall", after: .logLine) {
                    berta.signs.hasLine("berta: debug: streams \(pair.id) have stalled")
                }
                // Bytes that come later than this show that the channel works again.
                clock.advance(by: .milliseconds(300))
                await ends.origin.write([1])
                #expect(await ends.other.read(1) == [1])
                try await berta.until("the streams continue on their channel", after: .logLine) {
                    berta.signs.hasLine("berta: debug: streams \(pair.id) go on")
                }
                tcp.works()
                // The time stands still, so no silence shows that the channel has stalled.
                try await loseAddress(of: berta, anna)
                ends.close()
            }
        }

        @Test("An address at which another channel for stalled streams is lost is left out of the next dial")
        func otherChannelIsLost() async throws {
            try await World.with { world, clock in
                let anna = try await world.device(
                    "anna", tcp: true, clock: clock, wrapTCP: { OneAddressTCP(proxied: $0) })
                let made = Mutex<FailingTCP?>(nil)
                let (berta, radio) = try await world.device(
                    "berta", tcp: true, clock: clock, radioProxy: { SwallowingRadio($0) },
                    wrapTCP: { proxied in
                        let tcp = FailingTCP(proxied)
                        made.withLock { $0 = tcp }
                        return tcp
                    })
                let refusing = made.withLock(\.self)
                let tcp = try #require(refusing)
                try await anna.makeCircle(with: berta)
                let ends = try await StreamEnds(anna, berta)
                #expect(ends.other.transport == "tcp")
                let pair = try #require(await berta.service.streams.all.first)
                tcp.fail(by: .refused)
                pair.handle.pathLost(pair.channel)
                // Only the radio is left. Its channel opens, but the Attach gets no answer.
                let end = clock.uptime + .seconds(10)
                try await radio.swallowed.wait("an Attach that is lost") { $0 > 0 ? () : nil }
                await clock.waitForMoments { $0.contains(end) }
                tcp.works()
                clock.advance(by: .seconds(10))
                try await berta.until("the streams go over another channel", after: .logLine) {
                    await berta.service.streamChannel !== pair.channel
                }
                #expect(await berta.service.streamChannel?.transport == .tcp)
                await ends.other.write([1, 2, 3])
                #expect(await ends.origin.read(3) == [1, 2, 3])
                ends.close()
            }
        }

        @Test("Streams continue when the other device is heard at another address, even while other dials are running")
        func elsewhere() async throws {
            try await World.with { world, clock in
                let anna = try await world.device("anna", clock: clock)
                let (berta, radio) = try await world.device("berta", clock: clock, radioProxy: { RenamingRadio($0) })
                try await anna.makeCircle(with: berta)
                let ends = try await StreamEnds(anna, berta)
                // Anna leaves the one address to which all channels lead, so every channel to her
                // must end.
                await berta.service.breakLinks()
                radio.leave("anna")
                await berta.service.cutStreams()
                try await berta.until("it is dialled", after: .sleep) {
                    await berta.service.counts["reappearancesAwaited"] == 1
                }
                _ = try await radio.dialledInVain.wait("a dial") { $0.isEmpty ? nil : () }
                try await anna.publish("org.example.read")
                try await berta.until("the streams go on", after: .logLine) {
                    await berta.service.streamChannel?.channel.isActive == true
                }
                await ends.other.write([1, 2, 3])
                #expect(await ends.origin.read(3) == [1, 2, 3])
                ends.close()
            }
        }

        @Test("Streams for which no other channel is found within 60 s end, and both apps learn that")
        func nobody() async throws {
            try await World.withPair { anna, berta, clock in
                let ends = try await StreamEnds(anna, berta)
                await ends.other.write([1, 2, 3])
                #expect(await ends.origin.read(3) == [1, 2, 3])
                await anna.radio.stop()
                await berta.radio.stop()
                let channels = [await anna.service.streamChannel, await berta.service.streamChannel]
                await berta.service.cutStreams()
                for channel in channels { try await #require(channel).channel.closeFuture.get() }
                clock.advance(by: .seconds(59))
                #expect(await anna.service.counts["streams"] == 1)
                #expect(await berta.service.counts["streams"] == 1)
                clock.advance(by: .seconds(1))
                for (device, end) in [(anna, ends.origin), (berta, ends.other)] {
                    #expect(try await device.streamEnd(end) == Reason(.streamsBroken))
                }
                ends.close()
            }
        }

        @Test("A device cannot take streams over with an older generation, nor with another device's token")
        func hijack() async throws {
            try await World.with { world in
                let (anna, berta) = try await world.pair()
                let clara = try await world.device("clara")
                try await clara.service.joinCircle(anna.service.invite().text)
                let ends = try await StreamEnds(anna, berta)
                let pair = try #require(await berta.service.streams.all.first)
                for (device, generation, reason) in [
                    (berta, 1, Reset.Reason.staleGeneration), (clara, 9, Reset.Reason.unknownToken),
                ] {
                    let channel = try await device.service.channels.dial(
                        anna.door, over: device.radio, credential: device.credential(of: anna), timeout: .seconds(60))
                    channel.send(
                        .attach(
                            Attach(token: pair.way.token, generation: UInt32(generation), nextOffset: 0, window: 65_536)
                        ))
                    #expect(try await channel.nextFrame(within: .seconds(60)) == .reset(Reset(reason: reason)))
                    channel.close()
                }
                await ends.other.write([4, 5, 6])
                #expect(await ends.origin.read(3) == [4, 5, 6])
                ends.close()
            }
        }

        @Test("Streams with a device that leaves the circle end at once")
        func removed() async throws {
            try await World.withPair(clock: ManualClock()) { anna, berta in
                let ends = try await StreamEnds(anna, berta)
                _ = try await anna.service.removeDevice("berta")
                #expect(try await anna.streamEnd(ends.origin) != nil)
                #expect(try await berta.streamEnd(ends.other) != nil)
                ends.close()
            }
        }

        @Test("A stopping service accepts nothing new, waits for its streams, and ends when they have ended")
        func drained() async throws {
            try await World.withPair { anna, berta, clock in
                let ends = try await StreamEnds(anna, berta)
                let continued = try #require(ends.continued)
                let isOver = Watched(false)
                let drained = Task {
                    await anna.service.drain(for: .seconds(10))
                    isOver.change { $0 = true }
                }
                try await berta.withdrawal(ofType: StreamEnds.type)
                let refused = await #expect(throws: BatonError.self) { _ = try await berta.openStreams(continued) }
                #expect(refused?.code == .connectionUnavailable)
                let own = await #expect(throws: BatonError.self) { _ = try await anna.openStreams(continued) }
                #expect(own?.reason?.failure == .ending)
                let last = pattern(300_000, seed: 6)
                let sent = Task { await ends.other.write(last) }
                #expect(await ends.origin.read(last.count) == last)
                #expect(await sent.value == last.count)
                #expect(!isOver.value)
                ends.other.finish()
                ends.origin.finish()
                #expect(try await anna.streamEnd(ends.origin) == nil)
                #expect(try await berta.streamEnd(ends.other) == nil)
                await drained.value
                ends.close()
            }
        }

        @Test("A stopping service waits for an app that has yet to accept an activity, and sends the app's answer")
        func drainedWithoutAnswer() async throws {
            try await World.withPair { anna, berta, clock in
                try await anna.publish(StreamEnds.type)
                let continued = try await berta.continueOffer(ofType: StreamEnds.type)
                let isOver = Watched(false)
                let drained = Task {
                    await berta.service.drain(for: .seconds(10))
                    isOver.change { $0 = true }
                }
                // The service waits until its time limit.
                let end = clock.uptime + .seconds(10)
                await clock.waitForMoments { $0.contains(end) }
                #expect(!isOver.value)
                try await berta.service.accept(continued.continuation, accepted: true, client: Device.app)
                await drained.value
                await berta.service.stop()
                _ = try await anna.next("was continued") { if case .wasContinued = $0 { true } else { nil } }
            }
        }

        @Test("Streams that do not end within a stopping service's time limit are cut, and both apps get the reason")
        func drainedInVain() async throws {
            try await World.withPair { anna, berta, clock in
                let ends = try await StreamEnds(anna, berta)
                let isOver = Watched(false)
                Task {
                    await anna.service.drain(for: .seconds(10))
                    isOver.change { $0 = true }
                }
                try await berta.withdrawal(ofType: StreamEnds.type)
                await ends.other.write([7])
                #expect(await ends.origin.read(1) == [7])
                #expect(!isOver.value)
                #expect(await anna.service.counts["streams"] == 1)
                let end = clock.uptime + .seconds(10)
                await clock.waitForMoments { $0.contains(end) }
                clock.advance(by: .seconds(10))
                try await isOver.wait("the end of its time") { $0 ? () : nil }
                await anna.service.stop()
                #expect(try await anna.streamEnd(ends.origin) == Reason(.streamsStopped))
                #expect(try await berta.streamEnd(ends.other) == Reason(.streamsStopped))
                ends.close()
            }
        }
    }
}

/// Both apps' ends of a pair of streams.
struct StreamEnds: Sendable {
    static let type = "org.example.draw"
    let origin: AppEnd
    let other: AppEnd
    /// The continuation to which the streams belong.
    let continued: String?

    init(_ anna: Device, _ berta: Device) async throws {
        try await anna.publish(Self.type, streams: true)
        let continued = try await berta.takeOver(Self.type)
        other = try await berta.openStreams(continued.continuation)
        origin = try await anna.streamsOpened()
        self.continued = continued.continuation
    }

    func close() {
        origin.close()
        other.close()
    }
}

/// A transfer of bytes in both directions at once, in portions.
private final class Transfer: Sendable {
    private static let (there, back) = (pattern(10_000_000, seed: 11), pattern(10_000_000, seed: 12))
    private let ends: StreamEnds
    private let sent = Mutex(0)
    private let received = Watched((origin: [UInt8](), other: [UInt8]()))
    private let readers: [Task<Void, Never>]

    init(_ ends: StreamEnds) {
        self.ends = ends
        readers = [
            Task { [received] in
                while case let bytes = await ends.origin.read(10_000), !bytes.isEmpty {
                    received.change { $0.origin += bytes }
                }
            },
            Task { [received] in
                while case let bytes = await ends.other.read(10_000), !bytes.isEmpty {
                    received.change { $0.other += bytes }
                }
            },
        ]
    }

    /// Sends this many bytes each way. Returns when they have arrived and `body` has ended.
    func pass(_ count: Int, meanwhile body: () async throws -> Void) async throws {
        let end = sent.withLock { sent in
            sent += count
            return sent
        }
        let portion = (end - count)..<end
        let writing = [
            Task { [ends] in await ends.origin.write(Array(Self.there[portion])) },
            Task { [ends] in await ends.other.write(Array(Self.back[portion])) },
        ]
        try await body()
        for task in writing { #expect(await task.value == count) }
        try await arrives(end)
    }

    /// Waits until part of the last portion has arrived.
    func hasBegun() async throws { try await arrives(sent.withLock(\.self) - 380_000) }

    private func arrives(_ count: Int) async throws {
        try await received.wait("\(count) bytes") { min($0.origin.count, $0.other.count) >= count ? () : nil }
    }

    /// Expects that all bytes have arrived unchanged, and that both apps see no loss.
    func isComplete(_ anna: Device, _ berta: Device) async throws {
        ends.origin.finish()
        ends.other.finish()
        for reader in readers { await reader.value }
        let count = sent.withLock(\.self)
        #expect(received.value.origin == Array(Self.back[..<count]))
        #expect(received.value.other == Array(Self.there[..<count]))
        #expect(try await anna.streamEnd(ends.origin) == nil)
        #expect(try await berta.streamEnd(ends.other) == nil)
        ends.close()
    }
}

extension HandoffService {
    /// The channel of the pair of streams.
    fileprivate var streamChannel: SecureChannel? { streams.all.first?.channel }

    /// Returns whether the pair of streams leaves an endpoint out of its dials now.
    fileprivate func leavesOut(_ endpoint: Endpoint) -> Bool {
        streams.all.first?.stalls.dialable([endpoint], at: clock.uptime).isEmpty ?? false
    }

    /// Returns whether a dial by TCP to another device had failed at an uptime.
    fileprivate func hasFailedByTCP(at uptime: Duration) -> Bool {
        !peers.networkFindings(at: uptime + NetworkFailures.lifetime - .nanoseconds(1)) { _ in "" }.isEmpty
    }

    /// Cuts the channel of the pair of streams, as a radio out of range does.
    @discardableResult
    fileprivate func cutStreams() -> SecureChannel? {
        let channel = streamChannel
        channel?.channel.pipeline.fireErrorCaught(ChannelFailure.timedOut)
        channel?.channel.close(mode: .all, promise: nil)
        return channel
    }
}
