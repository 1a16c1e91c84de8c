// SPDX-License-Identifier: GPL-3.0-or-later

import BatonTesting
import BatonTransport
import DBus
import Logging
import NIOPosix

@testable import BlueZTransport

/// A radio on a private bus without the real bluetoothd, with a clock that only the test moves.
struct RadioFixture: Sendable {
    let bus: PrivateBus
    let radio: BlueZRadio
    let clock: ManualClock
    let events: EventLog<RadioEvent>

    /// Runs a test with a radio that is not started yet.
    static func with(
        adapter: String? = nil, prefix: [UInt8] = [], receiveMTU: Int = 2_048, askAfterSilence: Duration? = nil,
        _ body: @Sendable (RadioFixture) async throws -> Void
    ) async throws {
        try await PrivateBus.with { bus in
            let clock = ManualClock(uptime: .seconds(1_000))
            let configuration = BlueZConfiguration(
                adapter: adapter, busAddress: bus.address, receiveMTU: receiveMTU,
                askAfterSilence: askAfterSilence, payloadPrefix: prefix)
            let radio = BlueZRadio(
                configuration: configuration, group: MultiThreadedEventLoopGroup.singleton, clock: clock,
                logger: Logger(label: "test"))
            let fixture = RadioFixture(bus: bus, radio: radio, clock: clock, events: EventLog(radio.events()))
            do {
                try await body(fixture)
                await radio.stop()
            } catch {
                await radio.stop()
                throw error
            }
        }
    }

    /// Runs a test with a mock of bluetoothd, and with a radio that is not started yet.
    static func withBlueZ(
        adapter: String? = nil, prefix: [UInt8] = [], receiveMTU: Int = 2_048,
        adapters: [MockBlueZ.Adapter] = [MockBlueZ.Adapter()],
        _ body: @Sendable (RadioFixture, MockBlueZ) async throws -> Void
    ) async throws {
        try await with(adapter: adapter, prefix: prefix, receiveMTU: receiveMTU) { fixture in
            let bluez = try await MockBlueZ(on: fixture.bus.address, adapters: adapters)
            try await body(fixture, bluez)
            await bluez.stop()
        }
    }

    /// Runs a test with a radio that works with a mock of bluetoothd.
    static func working(
        adapter: String? = nil, prefix: [UInt8] = [], adapters: [MockBlueZ.Adapter] = [MockBlueZ.Adapter()],
        _ body: @Sendable (RadioFixture, MockBlueZ) async throws -> Void
    ) async throws {
        try await withBlueZ(adapter: adapter, prefix: prefix, adapters: adapters) { fixture, bluez in
            try await fixture.radio.start()
            _ = try await fixture.status(.ready)
            try await body(fixture, bluez)
            await fixture.radio.stop()
        }
    }

    /// Waits for a condition, and returns the status.
    func status(_ condition: RadioStatus.Condition) async throws -> RadioStatus {
        try await events.next { event in
            if case .status(let status) = event, status.condition == condition { status } else { nil }
        }
    }

    /// Advances the clock again and again, for work that is retried later.
    func letTimePass() -> Task<Void, Never> {
        Task { [clock] in
            while !Task.isCancelled {
                await clock.waitForSleepers(1)
                clock.advance(by: .seconds(1))
                await Task.yield()
            }
        }
    }

    /// Waits for the next sighting, and returns it.
    func sighting() async throws -> Sighting {
        try await events.next { if case .sighted(let sighting) = $0 { sighting } else { nil } }
    }
}

extension MockBlueZ {
    /// Waits for a monitor, and returns its root.
    func monitor() async throws -> String {
        try await requests.next { if case .monitor(_, let root, _) = $0 { root } else { nil } }
    }

    /// Waits for an advertisement, and returns its path and payload.
    func advertisement(on adapter: String = "/org/bluez/hci0") async throws -> (path: String, payload: [UInt8]) {
        try await requests.next { request in
            guard case .advertise(adapter, let path, let properties) = request else { return nil }
            return (path, properties["ManufacturerData"]?.entriesValue?.first?.value.bytesValue ?? [])
        }
    }
}
