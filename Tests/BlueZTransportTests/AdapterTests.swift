// SPDX-License-Identifier: GPL-3.0-or-later

import BatonTesting
import BatonTransport
import DBus
import Diagnosis
import Foundation
import L2CAP
import Logging
import NIOCore
import NIOPosix
import Testing

@testable import BlueZTransport

@Suite(.timeLimit(.minutes(5))) struct AdapterTests {
    private let device = MockBlueZ.path("00:AA:01:00:00:02")
    private let lost = RadioEvent.lost(address: "00:AA:01:00:00:02/public")

    private func peer(_ payload: [UInt8] = [1]) -> [String: DBusValue] {
        MockBlueZ.properties(of: "00:AA:01:00:00:02", payload: payload)
    }

    @Test("If bluetoothd does not run, the radio's status says how to start it")
    func withoutBluetoothd() async throws {
        try await RadioFixture.with { fixture in
            try await fixture.radio.start()
            let status = try await fixture.status(.unavailable)
            #expect(status.problem == Finding(.bluetoothdStopped, command: "systemctl start bluetooth"))
            let bluez = try await MockBlueZ(on: fixture.bus.address)
            #expect(try await fixture.status(.ready).adapters == ["hci0"])
            await bluez.stop()
        }
    }

    @Test("A radio that is stopped while it connects to the bus does not work afterwards")
    func stoppedWhileItStarts() async throws {
        try await RadioFixture.with { fixture in
            let starting = Task.immediate { try await fixture.radio.start() }
            await fixture.radio.stop()
            try await starting.value
            #expect(await fixture.radio.connection == nil)
        }
    }

    @Test("A stopped radio sets no more alarms")
    func noAlarmAfterTheEnd() async throws {
        try await RadioFixture.with { fixture in
            try await fixture.radio.start()
            #expect(await fixture.radio.takesAlarms)
            await fixture.radio.stop()
            #expect(await !fixture.radio.takesAlarms)
            #expect(fixture.clock.sleeperCount == 0)
        }
    }

    @Test("If there is no adapter, the radio's status asks for one")
    func withoutAnAdapter() async throws {
        try await RadioFixture.withBlueZ(adapters: []) { fixture, bluez in
            try await fixture.radio.start()
            #expect(try await fixture.status(.absent).problem == Finding(.adapterMissing))
        }
    }

    @Test("Powering an adapter off and on registers the advertisement again")
    func poweredOffAndOn() async throws {
        try await RadioFixture.working { fixture, bluez in
            try await fixture.radio.advertise([1])
            let first = try await bluez.advertisement()
            try bluez.power("/org/bluez/hci0", false)
            #expect(try await fixture.status(.off).problem == Finding(.adapterOff, command: "bluetoothctl power on"))
            try await bluez.requests.wait(for: .stopAdvertising(adapter: "/org/bluez/hci0", path: first.path))
            try bluez.power("/org/bluez/hci0", true)
            _ = try await fixture.status(.ready)
            let second = try await bluez.advertisement()
            #expect(second.payload == [1])
            #expect(second.path != first.path)
        }
    }

    @Test("A stranger's name with many combining marks does not stop the radio")
    func strangersNameOfMarks() async throws {
        try await RadioFixture.withBlueZ { fixture, bluez in
            var stranger = peer()
            stranger["Name"] = .string("a" + String(repeating: "\u{301}", count: 120))
            try bluez.appear(device, stranger)
            try await fixture.radio.start()
            #expect(try await fixture.sighting().payload == [1])
            _ = try await fixture.status(.ready)
        }
    }

    @Test(
        "A bluetoothd that does not list its objects is reported and asked again",
        arguments: [
            (DBusError.noReply, FindingCode.bluetoothdSilent), (DBusError.accessDenied, .bluetoothDenied),
        ])
    func bluetoothdWithoutObjects(_ name: String, _ code: FindingCode) async throws {
        try await RadioFixture.withBlueZ { fixture, bluez in
            bluez.refuse("GetManagedObjects", with: name, times: 3)
            try await fixture.radio.start()
            #expect(try await fixture.status(.unavailable).findings.map(\.code) == [code.rawValue])
            for _ in 1...3 {
                await fixture.clock.waitForSleepers(1)
                #expect(fixture.clock.moments == [fixture.clock.uptime + .seconds(30)])
                fixture.clock.advance(by: .seconds(30))
            }
            _ = try await fixture.status(.ready)
        }
    }

    @Test("A blocked adapter is reported as blocked")
    func blockedAdapter() async throws {
        let adapter = MockBlueZ.Adapter(isPowered: false, powerState: "off-blocked")
        try await RadioFixture.withBlueZ(adapters: [adapter]) { fixture, bluez in
            try await fixture.radio.start()
            #expect(try await fixture.status(.off).problem?.command == "rfkill unblock bluetooth")
        }
    }

    @Test("If bluetoothd has no PowerState, the kernel tells whether an adapter is blocked")
    func blockedByTheKernel() throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "rfkill-\(UUID().uuidString)")
        let rfkill = directory.appending(path: "hci0/rfkill3")
        try FileManager.default.createDirectory(at: rfkill, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        for (soft, hard, isBlocked) in [("0", "0", false), ("1", "0", true), ("0", "1", true)] {
            try Data("\(soft)\n".utf8).write(to: rfkill.appending(path: "soft"))
            try Data("\(hard)\n".utf8).write(to: rfkill.appending(path: "hard"))
            #expect(BlueZStatus.isBlocked("hci0", below: directory.path) == isBlocked)
        }
        #expect(!BlueZStatus.isBlocked("hci1", below: directory.path))
        #expect(!BlueZStatus.isBlocked("../\(directory.lastPathComponent)/hci0", below: directory.path))
    }

    @Test("An adapter that is off or blocked is never switched on")
    func neverSwitchedOn() async throws {
        var blocked = MockBlueZ.Adapter(name: "hci1", address: "00:AA:01:00:00:01", isPowered: false)
        blocked.powerState = "off-blocked"
        try await RadioFixture.working(adapters: [MockBlueZ.Adapter(), blocked]) { fixture, bluez in
            try await fixture.radio.advertise([1])
            try bluez.power("/org/bluez/hci0", false)
            _ = try await fixture.status(.off)
            await fixture.radio.stop()
            await bluez.stop()
            #expect(await bluez.requests.rest().allSatisfy { if case .setPowered = $0 { false } else { true } })
        }
    }

    @Test("A bluetoothd that the user has stopped is not started through the bus")
    func stoppedByItsUser() async throws {
        let data = FileManager.default.temporaryDirectory.appending(path: "services-\(UUID().uuidString)")
        let services = data.appending(path: "dbus-1/services")
        try FileManager.default.createDirectory(at: services, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: data) }
        let mark = data.appending(path: "started").path
        let service = "[D-BUS Service]\nName=org.bluez\nExec=/usr/bin/touch \(mark)\n"
        try Data(service.utf8).write(to: services.appending(path: "org.bluez.service"))
        let bus = try await PrivateBus.start(dataHome: data)
        let radio = BlueZRadio(
            configuration: BlueZConfiguration(busAddress: bus.address), group: MultiThreadedEventLoopGroup.singleton,
            logger: Logger(label: "test"))
        try await radio.advertise([1])
        try await radio.start()
        await radio.stop()
        #expect(!FileManager.default.fileExists(atPath: mark))
        // Check that the bus could start bluetoothd.
        let connection = try await DBusConnection.open(address: bus.address)
        _ = try? await connection.call(destination: "org.bluez", path: "/", interface: "a.b", member: "C")
        #expect(FileManager.default.fileExists(atPath: mark))
        connection.close()
        await bus.stop()
    }

    @Test("An adapter that cannot advertise over Bluetooth LE is reported")
    func unfit() async throws {
        try await RadioFixture.withBlueZ(adapters: [MockBlueZ.Adapter(advertises: false)]) { fixture, bluez in
            try await fixture.radio.start()
            let status = try await fixture.status(.off)
            #expect(status.findings == [Finding(.adapterUnfit)])
        }
    }

    @Test("Another adapter with another name replaces a removed one")
    func anotherAdapter() async throws {
        try await RadioFixture.working { fixture, bluez in
            try await fixture.radio.advertise([1])
            try bluez.remove("/org/bluez/hci0")
            _ = try await fixture.status(.absent)
            try bluez.add(MockBlueZ.Adapter(name: "hci1", address: "00:AA:01:00:00:07"))
            #expect(try await fixture.status(.ready).adapters == ["hci1"])
            #expect(try await bluez.advertisement(on: "/org/bluez/hci1").payload == [1])
        }
    }

    @Test(
        "bluetoothd's version and its adapter's missing roles are found",
        arguments: [
            ("usb:v1D6Bp0246d0532", ["bluetoothd-old", "bluetooth-plain"]),
            ("usb:v1D6Bp0246d0542", ["bluetooth-plain"]),
            ("usb:v1234p0246d0532", ["bluetooth-plain"]),
        ])
    func versions(modalias: String, codes: [String]) async throws {
        // bluetoothd lists "central-peripheral" only if the administrator has asked for it.
        let adapter = MockBlueZ.Adapter(modalias: modalias, roles: ["central", "peripheral"])
        try await RadioFixture.withBlueZ(adapters: [adapter]) { fixture, bluez in
            try await fixture.radio.start()
            #expect(try await fixture.status(.ready).findings.map(\.code) == codes)
            try bluez.emit(
                adapter.path, "org.freedesktop.DBus.Properties", "PropertiesChanged",
                [.string("org.bluez.Adapter1"), .properties(["Roles": .strings(["central"])]), .strings([])])
            #expect(try await fixture.status(.ready).findings.map(\.code) == ["adapter-one-role"] + codes)
        }
    }

    @Test("When an adapter is removed, the peers that it heard are lost")
    func pullingTheAdapterOut() async throws {
        try await RadioFixture.working { fixture, bluez in
            // Wait until the radio scans.
            try await bluez.requests.wait(for: .discover(adapter: "/org/bluez/hci0"))
            try bluez.appear(device, peer())
            _ = try await fixture.sighting()
            try bluez.remove("/org/bluez/hci0")
            try await fixture.events.wait(for: lost)
            _ = try await fixture.status(.absent)
            try bluez.add(MockBlueZ.Adapter())
            _ = try await fixture.status(.ready)
            try await bluez.requests.wait(for: .discover(adapter: "/org/bluez/hci0"))
        }
    }

    @Test("When an adapter is switched off, all its peers are lost, and the present ones come back with the adapter")
    func switchedOffLosesWhatItHeard() async throws {
        try await RadioFixture.working { fixture, bluez in
            try bluez.appear(device, peer())
            _ = try await fixture.sighting()
            try bluez.power("/org/bluez/hci0", false)
            try await fixture.events.wait(for: lost)
            try bluez.power("/org/bluez/hci0", true)
            _ = try await fixture.status(.ready)
            try bluez.appear(device, peer())
            #expect(try await fixture.sighting().payload == [1])
        }
    }

    @Test("When bluetoothd restarts, all peers are lost, and the radio registers again")
    func restartOfBluetoothd() async throws {
        try await RadioFixture.working { fixture, bluez in
            try await fixture.radio.advertise([1])
            _ = try await bluez.advertisement()
            try bluez.appear(device, peer())
            _ = try await fixture.sighting()
            await bluez.stop()
            try await fixture.events.wait(for: lost)
            #expect(try await fixture.status(.unavailable).problem?.code == "bluetoothd-stopped")
            let again = try await MockBlueZ(on: fixture.bus.address)
            _ = try await fixture.status(.ready)
            // The two requests may come in either order.
            var awaited = ["advertise", "discover"]
            while !awaited.isEmpty {
                switch try await again.requests.next({ $0 }) {
                case .advertise(_, _, let properties):
                    #expect(properties["ManufacturerData"]?.entriesValue?.first?.value.bytesValue == [1])
                    awaited.removeAll { $0 == "advertise" }
                case .discover: awaited.removeAll { $0 == "discover" }
                default: break
                }
            }
            await again.stop()
        }
    }

    @Test("An adapter that shows its own address gives a warning", arguments: [true, false, nil] as [Bool?])
    func adapterShowsItsAddress(isPrivate: Bool?) {
        let adapter = BlueZObjects.Adapter(
            name: "hci0", address: BluetoothAddress("00:AA:01:00:00:01/public"), isPowered: true, advertises: true)
        let status = BlueZStatus(adapters: [adapter], isPrivate: { _ in isPrivate }).status
        #expect(status.condition == .ready)
        #expect(
            status.findings.contains(Finding(.addressPublic, ["adapter": "hci0"]))
                == (isPrivate == false))
    }

    @Test("Only the named adapter is used")
    func onlyTheNamedAdapterIsUsed() async throws {
        let adapters = [MockBlueZ.Adapter(), MockBlueZ.Adapter(name: "hci1", address: "00:AA:01:00:00:01")]
        try await RadioFixture.working(adapter: "hci1", adapters: adapters) { fixture, bluez in
            try await fixture.radio.advertise([1])
            #expect(try await bluez.advertisement(on: "/org/bluez/hci1").payload == [1])
            try bluez.appear(device, peer([5]))
            let other = MockBlueZ.path("00:AA:01:00:00:02", on: "/org/bluez/hci1")
            try bluez.appear(
                other, MockBlueZ.properties(of: "00:AA:01:00:00:02", on: "/org/bluez/hci1", payload: [6]))
            #expect(try await fixture.sighting().payload == [6])
            await fixture.radio.stop()
            #expect(bluez.client(of: "/org/bluez/hci0") == nil)
        }
    }

    @Test("If the named adapter is missing, the status names it")
    func namedAdapterNotThere() async throws {
        try await RadioFixture.withBlueZ(adapter: "hci7") { fixture, bluez in
            try await fixture.radio.start()
            let problem = try await fixture.status(.absent).problem
            #expect(problem == Finding(.adapterMissing, ["adapter": "hci7", "others": .list(["hci0"])]))
        }
    }

    @Test("A listener that cannot be opened on a named adapter gives a warning and is retried")
    func listenerIsTriedAgain() async throws {
        // No socket accepts this MTU.
        try await RadioFixture.withBlueZ(adapter: "hci0", receiveMTU: 0) { fixture, bluez in
            try await fixture.radio.start()
            let listener = try await fixture.radio.listen { channel, _ in channel.eventLoop.makeSucceededVoidFuture() }
            let isWarned = { @Sendable (event: RadioEvent) -> Bool? in
                guard case .status(let status) = event, status.condition == .ready else { return nil }
                return status.findings.contains { $0.code == FindingCode.listeningFailed.rawValue }
            }
            while try await fixture.events.next(isWarned) == false {}
            for _ in 1...2 {
                await fixture.clock.waitForSleepers(1)
                fixture.clock.advance(by: BlueZRadio.pauseBeforeAskingAgain)
            }
            await fixture.clock.waitForSleepers(1)
            await listener.close()
            fixture.clock.advance(by: BlueZRadio.pauseBeforeAskingAgain)
            #expect(try await fixture.events.next(isWarned) == false)
        }
    }

    @Test("Disconnecting drops the peer's link on every adapter")
    func disconnecting() async throws {
        try await RadioFixture.working { fixture, bluez in
            try bluez.appear(device, peer())
            await fixture.radio.disconnect(
                Endpoint(transport: .l2cap, address: "00:AA:01:00:00:02/public", port: 0x80))
            try await bluez.requests.wait(for: .disconnect(device))
            // A missing device is not an error.
            await fixture.radio.disconnect(
                Endpoint(transport: .l2cap, address: "00:AA:01:00:00:03/public", port: 0x80))
            await fixture.radio.disconnect(Endpoint(transport: .l2cap, address: "nonsense", port: 0x80))
        }
    }

    @Test("Stopping a radio withdraws all its requests and ends its events")
    func stopping() async throws {
        try await RadioFixture.working { fixture, bluez in
            try await bluez.requests.wait(for: .discover(adapter: "/org/bluez/hci0"))
            try await fixture.radio.advertise([1])
            let path = try await bluez.advertisement().path
            await fixture.radio.stop()
            try await bluez.requests.wait(for: .stopAdvertising(adapter: "/org/bluez/hci0", path: path))
            try await bluez.requests.wait(for: .stopDiscovery(adapter: "/org/bluez/hci0"))
            _ = await fixture.events.rest()
        }
    }

    @Test("Dialling fails while the radio does not work")
    func channelsNeedARadioThatWorks() async throws {
        try await RadioFixture.with { fixture in
            let endpoint = Endpoint(transport: .l2cap, address: "00:AA:01:00:00:02/public", port: 0x80)
            let error = await #expect(throws: TransportError.self) {
                _ = try await fixture.radio.connect(to: endpoint, timeout: .seconds(1)) {
                    $0.eventLoop.makeSucceededVoidFuture()
                }
            }
            #expect(error?.code == .radioUnavailable)
        }
    }

    @Test(
        "An endpoint outside of Bluetooth LE is refused",
        arguments: [
            Endpoint(transport: .tcp, address: "00:AA:01:00:00:02/public", port: 0x80),
            Endpoint(transport: .l2cap, address: "00:AA:01:00:00:02", port: 0x80),
            Endpoint(transport: .l2cap, address: "00:AA:01:00:00:02/public", port: 0),
            Endpoint(transport: .l2cap, address: "00:AA:01:00:00:02/public", port: 0x100),
            Endpoint(transport: .l2cap, address: "00:AA:01:00:00:02/public", port: 0x7F),
        ])
    func endpointNotOfLE(_ endpoint: Endpoint) async throws {
        try await RadioFixture.working { fixture, _ in
            let error = await #expect(throws: TransportError.self) {
                _ = try await fixture.radio.connect(to: endpoint, timeout: .seconds(1)) {
                    $0.eventLoop.makeSucceededVoidFuture()
                }
            }
            #expect(error?.code == .invalidArgument)
        }
    }
}

extension BlueZRadio {
    /// Whether an alarm can be set.
    fileprivate var takesAlarms: Bool {
        defer { alarms.clear(.listener) }
        alarms.set(.listener, to: clock.uptime + .seconds(1), clock) {}
        return alarms.deadline(of: .listener) != nil
    }
}
