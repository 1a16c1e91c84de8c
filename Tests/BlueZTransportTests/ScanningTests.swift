// SPDX-License-Identifier: GPL-3.0-or-later

import BatonTesting
import BatonTransport
import DBus
import Logging
import Testing

@testable import BlueZTransport

@Suite(.timeLimit(.minutes(5))) struct ScanningTests {
    private static let hci0 = "/org/bluez/hci0"
    private let address = "00:AA:01:00:00:02"
    private var device: String { MockBlueZ.path(address) }

    @Test("Without monitors everything of LE is discovered, with duplicates")
    func withoutMonitors() async throws {
        try await RadioFixture.working { _, bluez in
            let filter = try await bluez.requests.next {
                if case .filter(Self.hci0, let filter) = $0 { filter } else { nil }
            }
            #expect(filter == ["Transport": .string("le"), "DuplicateData": .bool(true)])
            try await bluez.requests.wait(for: .discover(adapter: Self.hci0))
        }
    }

    @Test("Where monitors are offered, one matches the company and the prefix")
    func monitorMatchesThePrefix() async throws {
        var adapter = MockBlueZ.Adapter()
        adapter.offersMonitors = true
        try await RadioFixture.working(prefix: [1], adapters: [adapter]) { _, bluez in
            let properties = try await bluez.requests.next {
                if case .monitor(Self.hci0, _, let properties) = $0 { properties } else { nil }
            }
            let pattern = DBusValue.structure([.byte(0), .byte(0xFF), .bytes([0xFF, 0xFF, 1])])
            #expect(
                properties == [
                    "Type": .string("or_patterns"), "Patterns": .array(elementSignature: "(yyay)", [pattern]),
                ])
        }
    }

    @Test("A refused monitor gives way to discovery")
    func refusedMonitor() async throws {
        try await RadioFixture.with { fixture in
            var adapter = MockBlueZ.Adapter()
            adapter.offersMonitors = true
            let bluez = try await MockBlueZ(on: fixture.bus.address, adapters: [adapter])
            bluez.refuse("RegisterMonitor", with: "org.bluez.Error.Failed")
            try await fixture.radio.start()
            try await bluez.requests.wait(for: .discover(adapter: Self.hci0))
            await bluez.stop()
        }
    }

    @Test("A refused monitor is asked for again when discovery has ended")
    func monitorAfterDiscovery() async throws {
        var adapter = MockBlueZ.Adapter()
        adapter.offersMonitors = true
        try await RadioFixture.with { [adapter] fixture in
            let bluez = try await MockBlueZ(on: fixture.bus.address, adapters: [adapter])
            bluez.refuse("RegisterMonitor", with: "org.bluez.Error.Failed")
            try await fixture.radio.start()
            try await bluez.requests.wait(for: .discover(adapter: Self.hci0))
            _ = try await fixture.status(.ready)
            // The answer must be there before the adapter's change is.
            try bluez.appear(device, MockBlueZ.properties(of: address, payload: [1]))
            _ = try await fixture.sighting()
            try bluez.endDiscovery(Self.hci0)
            let mover = fixture.letTimePass()
            defer { mover.cancel() }
            _ = try await bluez.requests.next { if case .monitor(_, let root, _) = $0 { root } else { nil } }
            await bluez.stop()
        }
    }

    @Test("A monitor that is not answered is taken back and asked for again")
    func unansweredMonitor() async throws {
        var adapter = MockBlueZ.Adapter()
        adapter.offersMonitors = true
        try await RadioFixture.with { [adapter] fixture in
            let bluez = try await MockBlueZ(on: fixture.bus.address, adapters: [adapter])
            bluez.refuse("RegisterMonitor", with: DBusError.noReply)
            try await fixture.radio.start()
            let first = try await bluez.requests.next { if case .monitor(_, let root, _) = $0 { root } else { nil } }
            try await bluez.requests.wait(for: .stopMonitor(adapter: Self.hci0, root: first))
            #expect(try await fixture.status(.unavailable).summary.contains("does not answer"))
            await fixture.clock.waitForSleepers(1)
            fixture.clock.advance(by: .seconds(1))
            _ = try await bluez.requests.next { if case .monitor(_, let root, _) = $0 { root } else { nil } }
            _ = try await fixture.status(.ready)
            await bluez.stop()
        }
    }

    @Test("A monitor's report asks for a device that is not known, and refreshes one that is")
    func monitorReports() async throws {
        var adapter = MockBlueZ.Adapter()
        adapter.offersMonitors = true
        try await RadioFixture.working(adapters: [adapter]) { fixture, bluez in
            let root = try await bluez.requests.next { if case .monitor(_, let root, _) = $0 { root } else { nil } }
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

    @Test("A monitor that bluetoothd releases is registered again")
    func monitorIsReleased() async throws {
        var adapter = MockBlueZ.Adapter()
        adapter.offersMonitors = true
        try await RadioFixture.working(adapters: [adapter]) { fixture, bluez in
            let first = try await bluez.requests.next { if case .monitor(_, let root, _) = $0 { root } else { nil } }
            try await bluez.callClient(first + "/monitor", "org.bluez.AdvertisementMonitor1", "Release")
            let mover = fixture.letTimePass()
            defer { mover.cancel() }
            let second = try await bluez.requests.next { if case .monitor(_, let root, _) = $0 { root } else { nil } }
            #expect(first != second)
        }
    }

    @Test("A monitor that is released before its answer has come is registered again")
    func releasedBeforeTheAnswer() async throws {
        var adapter = MockBlueZ.Adapter()
        adapter.offersMonitors = true
        try await RadioFixture.with { [adapter] fixture in
            let bluez = try await MockBlueZ(on: fixture.bus.address, adapters: [adapter])
            let (answers, answer) = AsyncStream.makeStream(of: Void.self)
            bluez.hold("RegisterMonitor", until: Task { for await _ in answers {} })
            try await fixture.radio.start()
            let first = try await bluez.requests.next { if case .monitor(_, let root, _) = $0 { root } else { nil } }
            try await bluez.callClient(first + "/monitor", "org.bluez.AdvertisementMonitor1", "Release")
            await fixture.clock.waitForSleepers(1)
            fixture.clock.advance(by: .seconds(1))
            // Now the first attempt is still under way: it is tried again later.
            await fixture.clock.waitForSleepers(1)
            answer.finish()
            let mover = fixture.letTimePass()
            defer { mover.cancel() }
            let next = try await bluez.requests.next { request in
                switch request {
                case .monitor, .stopMonitor: request
                default: nil
                }
            }
            guard case .monitor(_, let second, _) = next else {
                Issue.record("the answer to the first attempt was not read: \(next)")
                return
            }
            #expect(first != second)
            await bluez.stop()
        }
    }

    @Test("Somebody else's scan is normal, and never stopped")
    func somebodyElsesScan() async throws {
        try await RadioFixture.with { fixture in
            let bluez = try await MockBlueZ(on: fixture.bus.address)
            bluez.refuse("StartDiscovery", with: "org.bluez.Error.InProgress", times: 2)
            try await fixture.radio.start()
            _ = try await fixture.status(.ready)
            for delay in [1, 2] {
                await fixture.clock.waitForSleepers(1)
                fixture.clock.advance(by: .seconds(delay))
            }
            // Two refusals and a success, and nothing was stopped in between.
            var asked = 0
            while asked < 3 {
                let request = try await bluez.requests.next { $0 }
                if case .discover = request { asked += 1 }
                #expect(request != .stopDiscovery(adapter: Self.hci0))
            }
            await bluez.stop()
        }
    }

    /// bluetoothd answers so also to a client whose own discovery runs.
    @Test("Discovery that is in progress for a minute is left at that until it ends")
    func discoveryInProgress() async throws {
        try await PrivateBus.with { bus in
            let bluez = try await MockBlueZ(on: bus.address)
            bluez.refuse("StartDiscovery", with: "org.bluez.Error.InProgress", times: 100)
            let connection = try await DBusConnection.open(address: bus.address)
            let daemon = BlueZDaemon(connection: connection, owner: bluez.connection.uniqueName)
            let clock = ManualClock()
            let (stream, told) = AsyncStream.makeStream(of: Scanner.Outcome.self)
            let outcomes = EventLog(stream)
            let scanner = Scanner(
                daemon: daemon, adapter: Self.hci0, offersMonitors: false, prefix: [], paths: ObjectPaths(),
                clock: clock, logger: Logger(label: "test")
            ) { told.yield($0) }
            await scanner.start()
            for delay in [1, 2, 4, 8, 16, 32] {
                try await outcomes.wait(for: .listening(monitors: false))
                await clock.waitForSleepers(1)
                clock.advance(by: .seconds(delay))
            }
            try await outcomes.wait(for: .listening(monitors: false))
            await scanner.discoveryEnded()
            await clock.waitForSleepers(1)
            clock.advance(by: .seconds(1))
            try await outcomes.wait(for: .listening(monitors: false))
            await scanner.stop()
            connection.close()
            await bluez.stop()
        }
    }

    @Test("A refused scan is said to be one, and tried again")
    func refusedScan() async throws {
        try await RadioFixture.with { fixture in
            let bluez = try await MockBlueZ(on: fixture.bus.address)
            bluez.refuse("StartDiscovery", with: "org.bluez.Error.Failed")
            try await fixture.radio.start()
            #expect(try await fixture.status(.unavailable).summary.contains("refused to scan"))
            await fixture.clock.waitForSleepers(1)
            fixture.clock.advance(by: .seconds(1))
            _ = try await fixture.status(.ready)
            await bluez.stop()
        }
    }

    @Test("Busy is told, and scanning tried again after 1 s, 2 s, and up to 32 s")
    func busy() async throws {
        try await RadioFixture.with { fixture in
            let bluez = try await MockBlueZ(on: fixture.bus.address)
            bluez.refuse("StartDiscovery", with: "org.bluez.Error.Busy", times: 7)
            try await fixture.radio.start()
            #expect(try await fixture.status(.unavailable).summary.contains("org.bluez.Error.Busy"))
            for delay in [1, 2, 4, 8, 16, 32, 32] {
                try await bluez.requests.wait(for: .discover(adapter: Self.hci0))
                await fixture.clock.waitForSleepers(1)
                // Not before it is time.
                fixture.clock.advance(by: .seconds(delay) - .milliseconds(1))
                #expect(fixture.clock.sleeperCount == 1)
                fixture.clock.advance(by: .milliseconds(1))
            }
            try await bluez.requests.wait(for: .discover(adapter: Self.hci0))
            _ = try await fixture.status(.ready)
            await bluez.stop()
        }
    }

    @Test("An adapter that cannot scan is said to be one, and not asked again")
    func adapterCannotScan() async throws {
        try await RadioFixture.with { fixture in
            let bluez = try await MockBlueZ(on: fixture.bus.address)
            bluez.refuse("StartDiscovery", with: "org.bluez.Error.NotSupported")
            try await fixture.radio.start()
            #expect(try await fixture.status(.unavailable).summary.contains("cannot scan"))
            // Nothing is to come.
            try await fixture.radio.advertise([1])
            #expect(fixture.clock.sleeperCount == 0)
            await bluez.stop()
        }
    }

    @Test("Discovery that ends is started again")
    func discoveryEnds() async throws {
        try await RadioFixture.working { fixture, bluez in
            try await bluez.requests.wait(for: .discover(adapter: Self.hci0))
            // The answer to the first must be there before the adapter's change is.
            try bluez.appear(device, MockBlueZ.properties(of: address, payload: [1]))
            _ = try await fixture.sighting()
            try bluez.endDiscovery(Self.hci0)
            let clock = fixture.clock
            let mover = Task {
                await clock.waitForSleepers(2)
                clock.advance(by: .seconds(1))
            }
            try await bluez.requests.wait(for: .discover(adapter: Self.hci0))
            await mover.value
        }
    }

    @Test("A changed payload is sighted at once, and the same once a second")
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

    @Test("A device that is not known yet is asked for")
    func unknownDevice() async throws {
        try await RadioFixture.working { fixture, bluez in
            try bluez.appear(
                device, MockBlueZ.properties(of: address, payload: [4], kind: "random"), announced: false)
            try bluez.change(device, ["ManufacturerData": MockBlueZ.manufacturerData([4])])
            #expect(try await fixture.sighting().address == "\(address)/random")
        }
    }

    @Test("A vanished device is lost")
    func aVanishedDeviceIsLost() async throws {
        try await RadioFixture.working { fixture, bluez in
            try bluez.appear(device, MockBlueZ.properties(of: address, payload: [1]))
            _ = try await fixture.sighting()
            try bluez.vanish(device)
            try await fixture.events.wait(for: .lost(address: "\(address)/public"))
        }
    }

    /// bluetoothd keeps the device of a link that is up, whatever is heard of it.
    @Test("A silent device is lost, though bluetoothd keeps it")
    func silentDevice() async throws {
        try await RadioFixture.working { fixture, bluez in
            try bluez.appear(device, MockBlueZ.properties(of: address, payload: [1]))
            _ = try await fixture.sighting()
            await fixture.clock.waitForSleepers(1)
            fixture.clock.advance(by: .seconds(35))
            try await fixture.events.wait(for: .lost(address: "\(address)/public"))
        }
    }

    @Test("What was heard before a suspend of eight hours, and is silent after it, is lost at once")
    func suspended() async throws {
        try await RadioFixture.working { fixture, bluez in
            try bluez.appear(device, MockBlueZ.properties(of: address, payload: [1]))
            _ = try await fixture.sighting()
            await fixture.clock.waitForSleepers(1)
            fixture.clock.advance(by: .seconds(8 * 3_600))
            try await fixture.events.wait(for: .lost(address: "\(address)/public"))
            // Who is there after all is heard as new.
            try bluez.change(device, ["ManufacturerData": MockBlueZ.manufacturerData([2])])
            #expect(try await fixture.sighting().payload == [2])
        }
    }

    @Test("A device heard by two adapters is lost when neither hears it")
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

    @Test("One of this machine's own adapters, heard by another, is no sighting")
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

    /// Only bluetoothd is believed: any process may send such signals.
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
