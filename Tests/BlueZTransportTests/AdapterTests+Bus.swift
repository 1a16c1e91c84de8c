// SPDX-License-Identifier: GPL-3.0-or-later

import BatonTesting
import BatonTransport
import DBus
import Diagnosis
import Foundation
import Logging
import NIOPosix
import Testing

@testable import BlueZTransport

/// Tests the radio's use of the system bus, and other daemons on that bus.
extension AdapterTests {
    @Test("Without a system bus the radio cannot start")
    func withoutASystemBus() async throws {
        let radio = BlueZRadio(
            configuration: BlueZConfiguration(busAddress: "unix:path=/nonexistent/bus"),
            group: MultiThreadedEventLoopGroup.singleton, logger: Logger(label: "test"))
        let error = await #expect(throws: TransportError.self) { try await radio.start() }
        #expect(error?.code == .radioUnavailable)
    }

    @Test("The start of a radio returns if the radio is stopped meanwhile")
    func startReturns() async throws {
        try await PrivateBus.with { bus in
            // The stop comes at another moment each time, also before the radio has begun to serve.
            for moment in 0..<100 { try await Self.start(on: bus, stoppedAfter: moment) }
        }
    }

    /// Starts a radio, and stops it after some other tasks have had their turns.
    private static func start(on bus: PrivateBus, stoppedAfter turns: Int) async throws {
        let radio = BlueZRadio(
            configuration: BlueZConfiguration(busAddress: bus.address), group: MultiThreadedEventLoopGroup.singleton,
            clock: ManualClock(uptime: .seconds(1_000)), logger: Logger(label: "test"))
        let starting = Task { try await radio.start() }
        for _ in 0..<turns { await Task.yield() }
        await radio.stop()
        try await starting.value
    }

    @Test(
        "While the system bus is gone, the radio retries at growing intervals, and it works again when the bus is back")
    func busThatComesBack() async throws {
        let place = FileManager.default.temporaryDirectory.appending(path: "bus-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: place) }
        /// Makes the path lead to a bus's socket.
        @Sendable func lead(to bus: PrivateBus) throws {
            let path = try #require(bus.address.split { $0 == "=" || $0 == "," }.dropFirst().first)
            try? FileManager.default.removeItem(at: place)
            try FileManager.default.createSymbolicLink(atPath: place.path, withDestinationPath: String(path))
        }
        let clock = ManualClock(uptime: .seconds(1_000))
        let radio = BlueZRadio(
            configuration: BlueZConfiguration(busAddress: "unix:path=\(place.path)", askAfterSilence: nil),
            group: MultiThreadedEventLoopGroup.singleton, clock: clock, logger: Logger(label: "test"))
        let events = EventLog(radio.events())
        /// Waits until the next attempt is this many seconds away.
        @Sendable func pause(of seconds: Int) async {
            let end = clock.uptime + .seconds(seconds)
            await clock.waitForMoments { $0 == [end] }
        }
        for pauses in [[], [1, 2, 4, 8, 16, 30, 30], [1]] {
            for seconds in pauses.dropLast() {
                await pause(of: seconds)
                clock.advance(by: .seconds(seconds))
            }
            if let seconds = pauses.last { await pause(of: seconds) }
            try await PrivateBus.with { bus in
                try lead(to: bus)
                let bluez = try await MockBlueZ(on: bus.address)
                if let seconds = pauses.last {
                    clock.advance(by: .seconds(seconds))
                } else {
                    try await radio.advertise([1])
                    try await radio.start()
                }
                #expect(try await bluez.advertisement().payload == [1])
                await bluez.stop()
            }
            try await events.next { event in
                if case .status(let status) = event, status.problem?.code == "system-bus-gone" { () } else { nil }
            }
        }
        await radio.stop()
    }

    @Test("The end of the bus is reported")
    func aBusThatGoesIsReported() async throws {
        try await RadioFixture.working { fixture, _ in
            await fixture.bus.stop()
            // Either bluetoothd's name disappears first, or the whole connection ends.
            try await fixture.events.next { event in
                if case .status(let status) = event, status.problem?.code == "system-bus-gone" { () } else { nil }
            }
        }
    }

    @Test("Daemons of two users share an adapter, and the end of one does not affect the other")
    func twoUsers() async throws {
        try await RadioFixture.working { fixture, bluez in
            let discover = MockBlueZ.Request.discover(adapter: "/org/bluez/hci0")
            try await bluez.requests.wait(for: discover)
            let other = BlueZRadio(
                configuration: BlueZConfiguration(busAddress: fixture.bus.address),
                group: MultiThreadedEventLoopGroup.singleton, clock: fixture.clock, logger: Logger(label: "other"))
            let events = EventLog(other.events())
            try await other.start()
            try await bluez.requests.wait(for: discover)
            try await fixture.radio.advertise([1])
            let first = try await bluez.advertisement()
            // Ask before the second daemon advertises, because both daemons' objects may have the
            // same paths. bluetoothd distinguishes them by sender.
            let owner = try #require(bluez.client(of: first.path))
            try await other.advertise([2])
            let second = try await bluez.advertisement()
            #expect(first.payload == [1] && second.payload == [2])
            let otherOwner = try #require(bluez.client(of: second.path))
            #expect(otherOwner != owner && bluez.senders { $0 == discover } == [owner, otherOwner])
            let address = "00:AA:01:00:00:07"
            try bluez.appear(MockBlueZ.path(address), MockBlueZ.properties(of: address, payload: [3]))
            #expect(try await fixture.sighting().payload == [3])
            let heard = try await events.next { if case .sighted(let sighting) = $0 { sighting } else { nil } }
            #expect(heard.payload == [3])
            await other.stop()
            let stopping = bluez.senders { request in
                switch request {
                case .stopAdvertising, .stopDiscovery: true
                default: false
                }
            }
            #expect(stopping == [otherOwner, otherOwner])
            #expect(try await bluez.children(of: "/", at: owner).isEmpty == false)
            let changed = MockBlueZ.manufacturerData([4])
            try bluez.change(MockBlueZ.path(address), ["ManufacturerData": changed])
            #expect(try await fixture.sighting().payload == [4])
        }
    }
}
