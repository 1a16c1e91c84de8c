// SPDX-License-Identifier: GPL-3.0-or-later

import BatonTesting
import BatonTransport
import DBus
import Testing

@testable import BlueZTransport

/// Tests which peers a radio reports as sighted and lost after bluetoothd's signals.
@Suite(.timeLimit(.minutes(5))) struct SightingTests {
    private static let hci0 = "/org/bluez/hci0"
    private let address = "00:AA:01:00:00:02"
    private var device: String { MockBlueZ.path(address) }

    @Test("A changed payload is sighted at once, and the same payload once a second")
    func changedPayload() async throws {
        try await RadioFixture.working { fixture, bluez in
            try bluez.appear(device, MockBlueZ.properties(of: address, payload: [1]))
            #expect(try await fixture.sighting() == Sighting(address: "\(address)/public", payload: [1], signal: -50))
            for _ in 0..<20 { try bluez.change(device, ["ManufacturerData": MockBlueZ.manufacturerData([1])]) }
            try bluez.change(device, ["ManufacturerData": MockBlueZ.manufacturerData([2]), "RSSI": .int16(127)])
            #expect(try await fixture.sighting() == Sighting(address: "\(address)/public", payload: [2], signal: nil))
            fixture.clock.advance(by: .seconds(1))
            try bluez.change(device, ["RSSI": .int16(-40)])
            #expect(try await fixture.sighting() == Sighting(address: "\(address)/public", payload: [2], signal: -40))
        }
    }

    @Test("The radio asks about an unknown device")
    func unknownDevice() async throws {
        try await RadioFixture.working { fixture, bluez in
            try bluez.appear(
                device, MockBlueZ.properties(of: address, payload: [4], kind: "random"), announced: false)
            try bluez.change(device, ["ManufacturerData": MockBlueZ.manufacturerData([4])])
            #expect(try await fixture.sighting().address == "\(address)/random")
        }
    }

    @Test("After a monitor's report, the radio asks about an unknown device, and refreshes a known one")
    func monitorReports() async throws {
        try await RadioFixture.working(adapters: [.monitoring]) { fixture, bluez in
            let root = try await bluez.monitor()
            try bluez.appear(device, MockBlueZ.properties(of: address, payload: [3]), announced: false)
            let found = {
                try await bluez.callClient(
                    root + "/monitor", "org.bluez.AdvertisementMonitor1", "DeviceFound", [.objectPath(device)])
            }
            try await found()
            #expect(try await fixture.sighting() == Sighting(address: "\(address)/public", payload: [3], signal: -50))
            fixture.clock.advance(by: .seconds(1))
            try await found()
            #expect(try await fixture.sighting().payload == [3])
            try await bluez.callClient(
                root + "/monitor", "org.bluez.AdvertisementMonitor1", "DeviceLost", [.objectPath(device)])
            try await fixture.events.wait(for: .lost(address: "\(address)/public"))
        }
    }

    @Test("A device that bluetoothd removes is lost")
    func aVanishedDeviceIsLost() async throws {
        try await RadioFixture.working { fixture, bluez in
            try bluez.appear(device, MockBlueZ.properties(of: address, payload: [1]))
            _ = try await fixture.sighting()
            try bluez.vanish(device)
            try await fixture.events.wait(for: .lost(address: "\(address)/public"))
        }
    }

    /// bluetoothd keeps a device while there is a link to the device, even if the device is silent.
    @Test("A silent device is lost even while bluetoothd keeps it")
    func silentDevice() async throws {
        try await RadioFixture.working { fixture, bluez in
            try bluez.appear(device, MockBlueZ.properties(of: address, payload: [1]))
            _ = try await fixture.sighting()
            await fixture.clock.waitForSleepers(1)
            fixture.clock.advance(by: .seconds(35))
            try await fixture.events.wait(for: .lost(address: "\(address)/public"))
        }
    }

    @Test("A device that is silent after a suspend of eight hours is lost at once")
    func suspended() async throws {
        try await RadioFixture.working { fixture, bluez in
            try bluez.appear(device, MockBlueZ.properties(of: address, payload: [1]))
            _ = try await fixture.sighting()
            await fixture.clock.waitForSleepers(1)
            fixture.clock.advance(by: .seconds(8 * 3_600))
            try await fixture.events.wait(for: .lost(address: "\(address)/public"))
            // If the device is present after all, it is sighted as new.
            try bluez.change(device, ["ManufacturerData": MockBlueZ.manufacturerData([2])])
            #expect(try await fixture.sighting().payload == [2])
        }
    }

    @Test("A device that two adapters have heard is lost when neither hears it any more")
    func heardByTwoAdapters() async throws {
        let adapters = [MockBlueZ.Adapter(), MockBlueZ.Adapter(name: "hci1", address: "00:AA:01:00:00:01")]
        try await RadioFixture.working(adapters: adapters) { fixture, bluez in
            let second = MockBlueZ.path(address, on: "/org/bluez/hci1")
            try bluez.appear(device, MockBlueZ.properties(of: address, payload: [1]))
            #expect(try await fixture.sighting().payload == [1])
            try bluez.appear(second, MockBlueZ.properties(of: address, on: "/org/bluez/hci1", payload: [2]))
            #expect(try await fixture.sighting().payload == [2])
            try bluez.vanish(device)
            try bluez.change(second, ["ManufacturerData": MockBlueZ.manufacturerData([3])])
            let next = try await fixture.events.next { event -> RadioEvent? in
                if case .status = event { nil } else { event }
            }
            #expect(next == .sighted(Sighting(address: "\(address)/public", payload: [3], signal: -50)))
            try bluez.vanish(second)
            try await fixture.events.wait(for: .lost(address: "\(address)/public"))
        }
    }

    @Test("An adapter of this machine that another one hears is not reported")
    func ownAdapter() async throws {
        let adapters = [MockBlueZ.Adapter(), MockBlueZ.Adapter(name: "hci1", address: "00:AA:01:00:00:01")]
        try await RadioFixture.working(adapters: adapters) { fixture, bluez in
            let own = MockBlueZ.path("00:AA:01:00:00:01")
            try bluez.appear(own, MockBlueZ.properties(of: "00:AA:01:00:00:01", payload: [9]))
            try bluez.appear(device, MockBlueZ.properties(of: address, payload: [1]))
            #expect(try await fixture.sighting().payload == [1])
        }
    }

    @Test("Payloads with another prefix are not reported")
    func anotherPrefix() async throws {
        try await RadioFixture.working(prefix: [1]) { fixture, bluez in
            try bluez.appear(device, MockBlueZ.properties(of: address, payload: [2, 2]))
            try bluez.change(device, ["ManufacturerData": MockBlueZ.manufacturerData([1, 2])])
            #expect(try await fixture.sighting().payload == [1, 2])
        }
    }

    /// Any process may send such signals, so only bluetoothd's signals count.
    @Test("Signals of strangers are ignored")
    func signalsOfStrangersAreIgnored() async throws {
        try await RadioFixture.working { fixture, bluez in
            let stranger = try await DBusConnection.open(address: fixture.bus.address)
            let properties = DBusValue.properties(MockBlueZ.properties(of: address, payload: [6]))
            let interfaces = DBusValue.dictionary(
                keySignature: "s", valueSignature: "a{sv}", [.init(.string("org.bluez.Device1"), properties)])
            try await bluez.requests.wait(for: .discover(adapter: Self.hci0))
            let client = try #require(bluez.client(of: Self.hci0))
            try stranger.emit(
                path: "/", interface: "org.freedesktop.DBus.ObjectManager", member: "InterfacesAdded",
                arguments: [.objectPath(device), interfaces], destination: client)
            _ = try await stranger.owner(of: "org.bluez")
            try bluez.appear(device, MockBlueZ.properties(of: address, payload: [1]))
            #expect(try await fixture.sighting().payload == [1])
            stranger.close()
        }
    }
}
