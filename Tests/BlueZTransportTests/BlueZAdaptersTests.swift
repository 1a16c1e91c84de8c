// SPDX-License-Identifier: GPL-3.0-or-later

import BatonTesting
import Testing

@testable import BlueZTransport

@Suite(.timeLimit(.minutes(3))) struct BlueZAdaptersTests {
    private let two = [
        MockBlueZ.Adapter(name: "hci1", address: "00:AA:01:00:00:01"), MockBlueZ.Adapter(isPowered: false),
    ]

    private func adapters(_ bus: PrivateBus, named name: String? = nil) -> BlueZAdapters {
        BlueZAdapters(configuration: BlueZConfiguration(adapter: name, busAddress: bus.address))
    }

    @Test func thoseThatAreThereAreNamedInOrderPoweredOrNot() async throws {
        try await PrivateBus.with { bus in
            let bluez = try await MockBlueZ(on: bus.address, adapters: two)
            #expect(await adapters(bus).present() == ["hci0", "hci1"])
            #expect(await adapters(bus, named: "hci1").present() == ["hci1"])
            #expect(await adapters(bus, named: "hci7").present() == [])
            await bluez.stop()
        }
    }

    @Test func withoutBluetoothdOrABusThereIsNoAnswer() async throws {
        try await PrivateBus.with { bus in
            #expect(await adapters(bus).present() == nil)
        }
        let nowhere = BlueZConfiguration(busAddress: "unix:path=/nonexistent/bus")
        #expect(await BlueZAdapters(configuration: nowhere).present() == nil)
        #expect(await BlueZAdapters(configuration: nowhere).first() == nil)
    }

    @Test func theFirstIsWaitedForThroughAStartOfBluetoothd() async throws {
        try await PrivateBus.with { bus in
            let adapters = adapters(bus, named: "hci1")
            async let first = adapters.first()
            let bluez = try await MockBlueZ(on: bus.address, adapters: [MockBlueZ.Adapter()])
            // It has looked, and there is only the other one.
            try await bluez.requests.wait(for: .managedObjects)
            try bluez.add(two[0])
            #expect(await first == "hci1")
            await bluez.stop()
        }
    }

    @Test func theWaitEndsWithTheBus() async throws {
        try await PrivateBus.with { bus in
            let bluez = try await MockBlueZ(on: bus.address, adapters: [])
            let adapters = adapters(bus)
            async let first = adapters.first()
            try await bluez.requests.wait(for: .managedObjects)
            await bus.stop()
            #expect(await first == nil)
        }
    }
}
