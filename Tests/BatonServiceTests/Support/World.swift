// SPDX-License-Identifier: Apache-2.0

import BatonTesting
import BatonTransport
import Diagnosis
import Foundation
import LocalDatagrams
import LocalNetworks
import Logging
import SimulatedTransport
import Synchronization
import TCPTransport
import Testing
import TraceModel

@testable import BatonService

/// All tests of the service, in three lanes.
///
/// The lanes run in parallel, because the tests wait more than they work. The tests of a lane run
/// one after the other, because each runs several daemons' work. A test that fails prints the logs
/// and traces of its devices.
@Suite(
    .timeLimit(.minutes(3)),
    .compactMapIssues { issue in
        World.current?.signs.printLines()
        return issue
    })
struct ServiceTests {
    /// Circles, pairing, and the state on disk.
    @Suite(.serialized) struct CircleLane {}
    /// Activities, continuations and streams, and attacks on them.
    @Suite(.serialized) struct HandoverLane {}
    /// Connections between devices, and the service as a whole.
    @Suite(.serialized) struct PeerLane {}
}

/// The environment of one test: a simulated air, state directories, and the devices.
final class World: Sendable {
    let path: String
    let air: SimulatedAir
    /// The world of the running test.
    @TaskLocal fileprivate static var current: World?

    fileprivate let signs = Signs()
    private let devices = Mutex<[Device]>([])
    private let radios = Mutex<[SimulatedRadio]>([])

    private init() throws {
        path = "/tmp/svc-" + String(UInt64.random(in: 0...UInt64.max), radix: 36)
        air = SimulatedAir(directory: path + "/air")
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    }

    /// Runs a test in an environment of its own, and removes it afterwards.
    static func with(_ body: (World) async throws -> Void) async throws {
        let world = try World()
        let result: Result<Void, any Error>
        do {
            result = .success(try await $current.withValue(world) { try await body(world) })
        } catch {
            world.signs.printLines()
            result = .failure(error)
        }
        for device in world.devices.withLock(\.self) { await device.service.stop() }
        for radio in world.radios.withLock(\.self) { await radio.stop() }
        // A cancelled dial may still be creating its socket in the directory, so ignore errors.
        try? FileManager.default.removeItem(atPath: world.path)
        try result.get()
    }

    /// Runs a test in an environment of its own, with a clock for its devices.
    static func with(_ body: (World, ManualClock) async throws -> Void) async throws {
        try await with { try await body($0, ManualClock()) }
    }

    /// Runs a test with one device, and removes it afterwards.
    static func withDevice(
        tcp: Bool = false, clock: any DeviceClock = SystemClock(), _ body: (Device) async throws -> Void
    ) async throws {
        try await with { try await body($0.device("anna", tcp: tcp, clock: clock)) }
    }

    /// Runs a test with one device, and with its clock.
    static func withDevice(_ body: (Device, ManualClock) async throws -> Void) async throws {
        try await with { try await body($0.device("anna", clock: $1), $1) }
    }

    /// Runs a test with two devices that share no circle, and removes them afterwards.
    static func withStrangers(tcp: Bool = false, _ body: (Device, Device) async throws -> Void) async throws {
        try await with { world in
            let (anna, berta) = try await world.strangers(tcp: tcp)
            try await body(anna, berta)
        }
    }

    /// Runs a test with two devices that share no circle, and with their clock.
    static func withStrangers(_ body: (Device, Device, ManualClock) async throws -> Void) async throws {
        try await with { world, clock in
            let (anna, berta) = try await world.strangers(clock: clock)
            try await body(anna, berta, clock)
        }
    }

    /// Runs a test with two devices of one circle, and removes them afterwards.
    static func withPair(
        tcp: Bool = false, clock: any DeviceClock = SystemClock(), patience: ChannelPatience = .init(),
        logger: Logger? = nil, _ body: (Device, Device) async throws -> Void
    ) async throws {
        try await with { world in
            let (anna, berta) = try await world.pair(tcp: tcp, clock: clock, patience: patience, logger: logger)
            try await body(anna, berta)
        }
    }

    /// Runs a test with two devices of one circle, and with their clock.
    static func withPair(
        tcp: Bool = false, _ body: (Device, Device, ManualClock) async throws -> Void
    ) async throws {
        let clock = ManualClock()
        try await withPair(tcp: tcp, clock: clock) { try await body($0, $1, clock) }
    }

    /// Runs a test with two devices, as ``reachablePair(tcp:clock:patience:)`` creates them.
    static func withReachablePair(
        tcp: Bool = false, clock: any DeviceClock = ManualClock(), patience: ChannelPatience = .init(),
        _ body: (Device, Device) async throws -> Void
    ) async throws {
        try await with { world in
            let (anna, berta) = try await world.reachablePair(tcp: tcp, clock: clock, patience: patience)
            try await body(anna, berta)
        }
    }

    /// Runs a test with two devices, as ``reachablePair(tcp:clock:patience:)`` creates them, and
    /// with their clock.
    static func withReachablePair(
        tcp: Bool = false, _ body: (Device, Device, ManualClock) async throws -> Void
    ) async throws {
        let clock = ManualClock()
        try await withReachablePair(tcp: tcp, clock: clock) { try await body($0, $1, clock) }
    }

    /// Runs a test with three devices of one circle, and removes them afterwards.
    static func withThree(
        clock: any DeviceClock = SystemClock(), _ body: (Device, Device, Device) async throws -> Void
    ) async throws {
        try await with { world in
            let (anna, berta, carla) = try await world.three(clock: clock)
            try await body(anna, berta, carla)
        }
    }

    func stateDirectory(_ name: String) -> String { "\(path)/state-\(name)" }

    /// Creates and starts a radio without a service.
    func radio(_ name: String) async throws -> SimulatedRadio {
        let radio = makeRadio(name)
        radios.withLock { $0.append(radio) }
        try await radio.start()
        return radio
    }

    private func makeRadio(_ name: String) -> SimulatedRadio {
        SimulatedRadio(
            directory: air.directory, address: name,
            configuration: .init(interval: .milliseconds(20), lostAfter: .seconds(1)))
    }

    /// Creates a service that logs nothing, for tests of a service without a ``Device``. The test
    /// starts and stops it.
    func service(
        named name: String = "anna", in directory: String? = nil, radio: any Radio,
        clock: any DeviceClock = SystemClock()
    ) throws -> HandoffService {
        try HandoffService(
            configuration: .init(stateDirectory: directory ?? stateDirectory(name), deviceName: name),
            transports: Transports(radio: radio), clock: clock,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    /// Creates and starts a device. Its service uses the radio that `wrap` returns.
    func device(
        _ name: String, tcp: Bool = false, clock: any DeviceClock = SystemClock(), patience: ChannelPatience = .init(),
        logger: Logger? = nil,
        wrap: (SimulatedRadio) -> any Radio = { $0 },
        wrapTCP: (TCPTransport) -> any ChannelTransport = { $0 },
        networks: AsyncStream<[LocalNetwork]>? = nil,
        datagrams: (any DatagramCarrier)? = nil,
        isPresent: @escaping @Sendable (ClientID) async -> Bool = { _ in true },
        whyRefused: @escaping @Sendable (ClientID, String?) async -> Reason? = { _, _ in nil }
    ) async throws -> Device {
        let radio = makeRadio(name)
        var configuration = HandoffService.Configuration(stateDirectory: stateDirectory(name), deviceName: name)
        configuration.patience = patience
        let service = try HandoffService(
            configuration: configuration,
            transports: Transports(
                radio: signs.noting(wrap(radio)),
                others: tcp ? [wrapTCP(TCPTransport(sharesMachine: true, connectionsPerSecond: .max))] : []),
            clock: signs.noting(clock), networks: networks, datagrams: datagrams,
            logger: logger ?? signs.logger(of: name), isPresent: isPresent, whyRefused: whyRefused)
        let device = Device(service: service, radio: radio, directory: stateDirectory(name), signs: signs)
        devices.withLock { $0.append(device) }
        signs.include(directory: device.directory)
        try #require(service.trace.begin(to: signs, revealing: [], about: [:]))
        try await device.start()
        try #require(await !service.status().endpoints.isEmpty, "the door of \(name)")
        return device
    }

    /// Creates and starts a device whose service uses a proxy of its radio. Returns both.
    func device<Proxy: Radio>(
        _ name: String, tcp: Bool = false, clock: any DeviceClock = SystemClock(), patience: ChannelPatience = .init(),
        radioProxy: (SimulatedRadio) -> Proxy, wrapTCP: (TCPTransport) -> any ChannelTransport = { $0 }
    ) async throws -> (Device, Proxy) {
        var proxy: Proxy?
        let device = try await device(
            name, tcp: tcp, clock: clock, patience: patience,
            wrap: { radio in
                let made = radioProxy(radio)
                proxy = made
                return made
            }, wrapTCP: wrapTCP)
        return (device, try #require(proxy))
    }

    /// Creates and starts a device whose service uses a proxy of its TCP. Returns both.
    func device<Proxy: ChannelTransport>(
        _ name: String, clock: any DeviceClock = SystemClock(), wrap: (SimulatedRadio) -> any Radio = { $0 },
        tcpProxy: (TCPTransport) -> Proxy
    ) async throws -> (Device, Proxy) {
        var proxy: Proxy?
        let device = try await device(
            name, tcp: true, clock: clock, wrap: wrap,
            wrapTCP: { tcp in
                let made = tcpProxy(tcp)
                proxy = made
                return made
            })
        return (device, try #require(proxy))
    }

    /// Creates two devices that share no circle.
    func strangers(tcp: Bool = false, clock: any DeviceClock = SystemClock()) async throws -> (Device, Device) {
        (try await device("anna", tcp: tcp, clock: clock), try await device("berta", tcp: tcp, clock: clock))
    }

    /// Creates two devices of one circle. The second knows an address of the first, although the
    /// first publishes nothing. Neither device has a reason to dial.
    func reachablePair(
        tcp: Bool = false, clock: any DeviceClock = ManualClock(), patience: ChannelPatience = .init()
    ) async throws -> (Device, Device) {
        let devices = try await pair(tcp: tcp, clock: clock, patience: patience)
        _ = try await devices.0.service.invite()
        let device = await devices.0.identityID
        try await devices.1.until("an address of the first", after: .traceLine) {
            await !devices.1.service.endpoints(of: device).isEmpty
        }
        return devices
    }

    /// Creates two devices of one circle.
    func pair(
        tcp: Bool = false, clock: any DeviceClock = SystemClock(), patience: ChannelPatience = .init(),
        logger: Logger? = nil
    ) async throws -> (Device, Device) {
        let first = try await device("anna", tcp: tcp, clock: clock, patience: patience, logger: logger)
        let second = try await device("berta", tcp: tcp, clock: clock, patience: patience, logger: logger)
        try await first.makeCircle(with: second)
        return (first, second)
    }

    /// Creates three devices of one circle that the first founded.
    func three(clock: any DeviceClock = SystemClock()) async throws -> (Device, Device, Device) {
        let (anna, berta) = try await pair(clock: clock)
        let carla = try await device("carla", clock: clock)
        try await carla.service.joinCircle(anna.service.invite().text)
        return (anna, berta, carla)
    }
}

extension ChannelPatience {
    /// Time limits of an hour. If a channel ends earlier in a test, it ends for another reason.
    static let anHour = ChannelPatience(
        handshake: .seconds(3_600), silence: .seconds(3_600), firstFrame: .seconds(3_600))
}
