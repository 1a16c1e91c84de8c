// SPDX-License-Identifier: Apache-2.0

import BatonTesting
import BatonTransport
import Diagnosis
import Foundation
import NIOCore
import NIOPosix
import Testing

@testable import SimulatedTransport

@Suite(.timeLimit(.minutes(5)))
struct SimulatedRadioTests {
    private let air: TemporaryAir

    init() throws { air = try TemporaryAir() }

    private static let nothing: ChannelInitializer = { $0.eventLoop.makeSucceededVoidFuture() }
    private static let accepting: AcceptedChannelInitializer = { channel, _ in
        channel.eventLoop.makeSucceededVoidFuture()
    }

    /// Returns two started radios on one manual clock.
    private func pair(clock: any DeviceClock) async throws -> (SimulatedRadio, SimulatedRadio) {
        let one = SimulatedRadio(directory: air.path, address: "one", clock: clock)
        let two = SimulatedRadio(directory: air.path, address: "two", clock: clock)
        try await one.start()
        try await two.start()
        return (one, two)
    }

    @Test("A sighting has the signal strength of the conditions")
    func signalComesFromConditions() async throws {
        var conditions = AirConditions()
        conditions.paths = [AirConditions.Path(from: "one", to: "two", isDirected: true, signal: -83)]
        try SimulatedAir(directory: air.path).set(conditions)
        let (one, two) = try await pair(clock: ManualClock())
        try await one.advertise([9])
        let event = await next(two.events()) { if case .sighted = $0 { true } else { false } }
        #expect(event == .sighted(Sighting(address: "one", payload: [9], signal: -83)))
        await one.stop()
        await two.stop()
    }

    @Test("The status names the directory, and warns of malformed conditions")
    func statusNamesTheDirectory() async throws {
        try air.write("{", to: "conditions.json")
        let radio = SimulatedRadio(directory: air.path, address: "one", clock: ManualClock())
        try await radio.start()
        let first = await next(radio.events()) { _ in true }
        guard case .status(let status)? = first else {
            Issue.record("not a status: \(String(describing: first))")
            return
        }
        #expect(status.condition == .ready)
        #expect(status.adapters == ["one"])
        // The first status that a reader gets is the present one.
        #expect(status.findings.first?.reason.values["check"] == "conditions.json")
        await radio.stop()
    }

    @Test("A peer is lost after 3 s of silence by the radio's clock")
    func lostByTheClock() async throws {
        let clock = ManualClock()
        let (one, two) = try await pair(clock: clock)
        try await one.advertise([1])
        let isSighting: (RadioEvent) -> Bool = { if case .sighted = $0 { true } else { false } }
        #expect(await next(two.events(), isSighting) != nil)
        await one.stop()
        // Time in which this radio did not run does not count as silence of the other radio.
        for duration in [Duration.milliseconds(100), .seconds(10)] {
            await clock.waitForSleepers(1)
            clock.advance(by: duration)
        }
        await clock.waitForSleepers(1)
        #expect(await two.hearing.lastHeard.keys.contains("one"))
        // Advance by single intervals, so that the radio listens in each one.
        try await eventually("it rests, for there is nobody left to listen for") {
            clock.advance(by: .milliseconds(100))
            return await !two.pace.isKept
        }
        #expect(await next(two.events()) { !isSighting($0) && $0 != .status(ready(two)) } == .lost(address: "one"))
        await two.stop()
    }

    @Test("A simulated radio that is alone in its directory sets no timers, and so does not wake the machine")
    func restsAlone() async throws {
        let clock = ManualClock()
        let one = SimulatedRadio(directory: air.path, address: "one", clock: clock)
        try await one.start()
        try await one.advertise([1])
        #expect(clock.sleeperCount == 0)
        // Another radio starts. The first radio sends to the new radio without a request.
        let two = SimulatedRadio(directory: air.path, address: "two", clock: clock)
        try await two.start()
        let event = await next(two.events()) { if case .sighted = $0 { true } else { false } }
        #expect(event == .sighted(Sighting(address: "one", payload: [1], signal: -50)))
        await clock.waitForSleepers(2)
        // The second radio stops, so both rest again.
        await two.stop()
        try await eventually("the other rests, too") {
            clock.advance(by: .milliseconds(100))
            return await !one.pace.isKept
        }
        #expect(clock.sleeperCount == 0)
        await one.stop()
    }

    @Test("A resting radio notices changed conditions and reports them")
    func restingHearsOfConditions() async throws {
        let radio = SimulatedRadio(directory: air.path, address: "one", clock: ManualClock())
        try await radio.start()
        try air.write("{", to: "conditions.json")
        let warned = await next(radio.events()) {
            if case .status(let status) = $0 { !status.findings.isEmpty } else { false }
        }
        #expect(warned != nil)
        await radio.stop()
    }

    private func ready(_ radio: SimulatedRadio) -> RadioStatus {
        RadioStatus(.ready, adapters: [radio.address])
    }

    @Test("An advertisement arrives after the delay in the conditions")
    func advertisementDelay() async throws {
        var conditions = AirConditions()
        conditions.advertisementDelay = 500
        try SimulatedAir(directory: air.path).set(conditions)
        let clock = ManualClock()
        let (one, two) = try await pair(clock: clock)
        // One sleeper waits for the sender's next interval, the other for the delayed
        // advertisement.
        try await one.advertise([5])
        await clock.waitForSleepers(2)
        clock.advance(by: .milliseconds(500))
        let event = await next(two.events()) { if case .sighted = $0 { true } else { false } }
        #expect(event == .sighted(Sighting(address: "one", payload: [5], signal: -50)))
        #expect(clock.uptime == .milliseconds(500))
        await one.stop()
        await two.stop()
    }

    @Test("A radio that does not advertise refuses channels")
    func silentRadioRefuses() async throws {
        let (one, two) = try await pair(clock: SystemClock())
        let listener = try await one.listen(initializer: Self.accepting)
        let endpoint = try #require(await listener.endpoints().first)
        let error = await #expect(throws: TransportError.self) {
            _ = try await two.connect(to: endpoint, timeout: .seconds(20), initializer: Self.nothing)
        }
        #expect(error?.code == .unreachable)
        try await one.advertise([1])
        let channel = try await two.connect(to: endpoint, timeout: .seconds(20), initializer: Self.nothing)
        // As on a real link, connected radios can open further channels after the advertisement has
        // ended.
        try await one.advertise(nil)
        let second = try await two.connect(to: endpoint, timeout: .seconds(20), initializer: Self.nothing)
        try await channel.close()
        try await second.close()
        await one.stop()
        await two.stop()
    }

    @Test("A dial to a radio that accepts and then stays silent fails at the time limit")
    func silentPeer() async throws {
        let radio = SimulatedRadio(directory: air.path, address: "one")
        try await radio.start()
        let silent = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(unixDomainSocketPath: SocketDirectory(path: air.path).channelPath("silent", psm: 0x80)).get()
        let endpoint = Endpoint(transport: .simulated, address: "silent", port: 0x80)
        let error = await #expect(throws: TransportError.self) {
            _ = try await radio.connect(to: endpoint, timeout: .milliseconds(100), initializer: Self.nothing)
        }
        #expect(error?.code == .unreachable)
        try await silent.close()
        await radio.stop()
    }

    @Test("Out of range there are no sightings and no new channels, and open channels break", arguments: [true, false])
    func outOfRange(_ isDirected: Bool) async throws {
        let (one, two) = try await pair(clock: SystemClock())
        let listener = try await one.listen(initializer: Self.accepting)
        let endpoint = try #require(await listener.endpoints().first)
        try await one.advertise([1])
        let channel = try await two.connect(to: endpoint, timeout: .seconds(20), initializer: Self.nothing)
        _ = await next(two.events()) { if case .sighted = $0 { true } else { false } }
        var conditions = AirConditions()
        conditions.paths = [AirConditions.Path(from: "one", to: "two", isDirected: isDirected, signal: -101)]
        try SimulatedAir(directory: air.path).set(conditions)
        try await channel.closeFuture.get()
        let error = await #expect(throws: TransportError.self) {
            _ = try await two.connect(to: endpoint, timeout: .seconds(20), initializer: Self.nothing)
        }
        #expect(error?.code == .unreachable)
        let gone = await next(two.events()) { if case .lost = $0 { true } else { false } }
        #expect(gone == .lost(address: "one"))
        await one.stop()
        await two.stop()
    }

    @Test("Delayed channel bytes arrive in order, even if the delay changes")
    func channelDelayKeepsOrder() async throws {
        var conditions = AirConditions()
        conditions.channelDelay = 30
        let control = SimulatedAir(directory: air.path)
        try control.set(conditions)
        let (one, two) = try await pair(clock: SystemClock())
        let collector = ByteCollector()
        let listener = try await one.listen { channel, _ in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(CollectingHandler(collector))
            }
        }
        try await one.advertise([1])
        let channel = try await two.connect(
            to: #require(await listener.endpoints().first), timeout: .seconds(20), initializer: Self.nothing)
        var sent = ByteCollector.Total()
        for number in 0..<100 {
            if number == 50 { control.clear() }
            let bytes = [UInt8](repeating: UInt8(number), count: 100)
            sent.add(bytes)
            channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil)
            if number == 50 { _ = await two.tick() }
        }
        #expect(await collector.wait(forCount: sent.count) == sent)
        try await channel.close()
        await one.stop()
        await two.stop()
    }

    @Test(
        "Endpoints that no radio can have are refused",
        arguments: [("two", 0x7F), ("two", 0x100), ("", 0x80), ("../two", 0x80), ("two\0", 0x80), ("one", 0x80)])
    func hostileEndpointsAreRefused(_ address: String, _ psm: Int) async throws {
        let radio = SimulatedRadio(directory: air.path, address: "one")
        try await radio.start()
        let endpoint = Endpoint(transport: .simulated, address: address, port: UInt16(psm))
        let error = await #expect(throws: TransportError.self) {
            _ = try await radio.connect(to: endpoint, timeout: .seconds(20), initializer: Self.nothing)
        }
        #expect(error?.code == .invalidArgument)
        await radio.stop()
    }
}
