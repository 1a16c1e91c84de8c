// SPDX-License-Identifier: GPL-3.0-or-later

import BatonTesting
import BatonTransport
import Testing

@testable import BlueZTransport

/// Tests a radio that does not listen all the time.
@Suite(.timeLimit(.minutes(5))) struct RestingTests {
    private static let hci0 = "/org/bluez/hci0"
    private let address = "00:AA:01:00:00:02"
    private var device: String { MockBlueZ.path(address) }

    @Test("A radio that must not listen withdraws its monitor, and registers it again later")
    func monitorIsTakenBack() async throws {
        try await RadioFixture.working(adapters: [.monitoring]) { fixture, bluez in
            let first = try await bluez.monitor()
            await fixture.radio.scan(.never)
            try await bluez.requests.wait(for: .stopMonitor(adapter: Self.hci0, root: first))
            #expect(fixture.clock.sleeperCount == 0)
            await fixture.radio.scan(.usually)
            #expect(try await bluez.monitor() != first)
        }
    }

    @Test("A radio that must not listen from the start asks for no scan")
    func neverFromTheStart() async throws {
        try await RadioFixture.withBlueZ { fixture, bluez in
            await fixture.radio.scan(.never)
            try await fixture.radio.start()
            _ = try await fixture.status(.ready)
            await fixture.radio.scan(.always)
            try await bluez.requests.wait(for: .discover(adapter: Self.hci0))
            #expect(bluez.senders { $0 == .discover(adapter: Self.hci0) }.count == 1)
        }
    }

    @Test("Discovery pauses for 8 s in each 12 s")
    func turns() async throws {
        try await RadioFixture.working { fixture, bluez in
            try await bluez.requests.wait(for: .discover(adapter: Self.hci0))
            await fixture.radio.scan(.usually)
            for pause in [4, 8, 4] {
                await fixture.clock.waitForSleepers(1)
                fixture.clock.advance(by: .seconds(pause))
                let request: MockBlueZ.Request =
                    pause == 4 ? .stopDiscovery(adapter: Self.hci0) : .discover(adapter: Self.hci0)
                try await bluez.requests.wait(for: request)
            }
        }
    }

    @Test("If bluetoothd refuses a monitor, discovery also pauses, and each turn first tries a monitor again")
    func turnsWithoutMonitor() async throws {
        try await RadioFixture.withBlueZ(adapters: [.monitoring]) { fixture, bluez in
            bluez.refuse("RegisterMonitor", with: "org.bluez.Error.Failed")
            await fixture.radio.scan(.usually)
            try await fixture.radio.start()
            try await bluez.requests.wait(for: .discover(adapter: Self.hci0))
            await fixture.clock.waitForSleepers(1)
            fixture.clock.advance(by: ScanRhythm.byDiscovery.length)
            try await bluez.requests.wait(for: .stopDiscovery(adapter: Self.hci0))
            await fixture.clock.waitForSleepers(1)
            fixture.clock.advance(by: ScanRhythm.byDiscovery.interval - ScanRhythm.byDiscovery.length)
            _ = try await bluez.monitor()
            // A monitor listens all of the time, so no turn ends.
            await fixture.clock.waitForMoments(\.isEmpty)
        }
    }

    @Test("During traffic the monitor is withdrawn, and two seconds later it is back")
    func besideTraffic() async throws {
        try await RadioFixture.working(adapters: [.monitoring]) { fixture, bluez in
            let first = try await bluez.monitor()
            fixture.radio.channels.traffic.moved(ChannelTraffic.threshold)
            try await bluez.requests.wait(for: .stopMonitor(adapter: Self.hci0, root: first))
            await fixture.clock.waitForSleepers(1)
            fixture.clock.advance(by: ChannelTraffic.linger)
            #expect(try await bluez.monitor() != first)
        }
    }

    /// Makes the radio hear the device and then rest, and bluetoothd remove the device.
    private func isHeardAndForgotten(_ fixture: RadioFixture, _ bluez: MockBlueZ) async throws {
        let root = try await bluez.monitor()
        try bluez.appear(device, MockBlueZ.properties(of: address, payload: [1]))
        _ = try await fixture.sighting()
        await fixture.radio.scan(.never)
        try await bluez.requests.wait(for: .stopMonitor(adapter: Self.hci0, root: root))
        try bluez.vanish(device)
    }

    @Test("Time without listening does not count as silence, even if bluetoothd removes the device")
    func restIsNoSilence() async throws {
        try await RadioFixture.working(adapters: [.monitoring]) { fixture, bluez in
            try await isHeardAndForgotten(fixture, bluez)
            fixture.clock.advance(by: .seconds(3_600))
            await fixture.radio.scan(.usually)
            _ = try await bluez.monitor()
            // The device is still present, with another payload.
            try bluez.appear(device, MockBlueZ.properties(of: address, payload: [2]))
            let next = try await fixture.events.next { event -> RadioEvent? in
                if case .status = event { nil } else { event }
            }
            #expect(next == .sighted(Sighting(address: "\(address)/public", payload: [2], signal: -50)))
            // Now the device disappears.
            await fixture.clock.waitForSleepers(1)
            fixture.clock.advance(by: BlueZ.silenceLimit)
            try await fixture.events.wait(for: .lost(address: "\(address)/public"))
        }
    }

    @Test("A device that disappears during a rest is lost 35 s after the end of the rest")
    func goneMeanwhile() async throws {
        try await RadioFixture.working(adapters: [.monitoring]) { fixture, bluez in
            try await isHeardAndForgotten(fixture, bluez)
            fixture.clock.advance(by: .seconds(100))
            await fixture.radio.scan(.usually)
            _ = try await bluez.monitor()
            await fixture.clock.waitForSleepers(1)
            fixture.clock.advance(by: BlueZ.silenceLimit)
            try await fixture.events.wait(for: .lost(address: "\(address)/public"))
        }
    }
}
