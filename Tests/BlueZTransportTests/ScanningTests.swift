// SPDX-License-Identifier: GPL-3.0-or-later

import BatonTesting
import BatonTransport
import DBus
import Diagnosis
import Logging
import Testing

@testable import BlueZTransport

/// Tests requests to scan, and the radio's reaction when bluetoothd refuses, releases or ends a
/// scan.
@Suite(.timeLimit(.minutes(5))) struct ScanningTests {
    private static let hci0 = "/org/bluez/hci0"
    private let address = "00:AA:01:00:00:02"
    private var device: String { MockBlueZ.path(address) }

    @Test("Without monitors the radio discovers all LE devices, with duplicates")
    func withoutMonitors() async throws {
        try await RadioFixture.working { _, bluez in
            let filter = try await bluez.requests.next {
                if case .filter(Self.hci0, let filter) = $0 { filter } else { nil }
            }
            #expect(filter == ["Transport": .string("le"), "DuplicateData": .bool(true)])
            try await bluez.requests.wait(for: .discover(adapter: Self.hci0))
        }
    }

    @Test("If monitors are offered, one matches the company and the prefix")
    func monitorMatchesThePrefix() async throws {
        try await RadioFixture.working(prefix: [1], adapters: [.monitoring]) { _, bluez in
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

    @Test("If bluetoothd refuses a monitor, the radio uses discovery")
    func refusedMonitor() async throws {
        try await RadioFixture.withBlueZ(adapters: [.monitoring]) { fixture, bluez in
            bluez.refuse("RegisterMonitor", with: "org.bluez.Error.Failed")
            try await fixture.radio.start()
            try await bluez.requests.wait(for: .discover(adapter: Self.hci0))
        }
    }

    @Test(
        "The monitors of 5.69 and 5.70, which find no offers, are not used, and a finding says so",
        arguments: [("d0545", false), ("d0546", false), ("d0544", true), ("d0547", true)])
    func monitorsThatFindNothing(version: String, areUsed: Bool) async throws {
        let adapter = MockBlueZ.Adapter(offersMonitors: true, modalias: "usb:v1D6Bp0246" + version)
        try await RadioFixture.withBlueZ(adapters: [adapter]) { fixture, bluez in
            try await fixture.radio.start()
            let isMonitor = try await bluez.requests.next { request -> Bool? in
                switch request {
                case .monitor: true
                case .discover: false
                default: nil
                }
            }
            #expect(isMonitor == areUsed)
            let findings = try await fixture.status(.ready).findings
            #expect(findings.contains { $0.reason.values["outdated"] != nil } == !areUsed)
        }
    }

    @Test("A refused monitor is tried again when discovery has ended")
    func monitorAfterDiscovery() async throws {
        try await RadioFixture.withBlueZ(adapters: [.monitoring]) { fixture, bluez in
            bluez.refuse("RegisterMonitor", with: "org.bluez.Error.Failed")
            try await fixture.radio.start()
            try await bluez.requests.wait(for: .discover(adapter: Self.hci0))
            _ = try await fixture.status(.ready)
            // The sighting shows that the answer has arrived, which must come before the adapter's
            // change.
            try bluez.appear(device, MockBlueZ.properties(of: address, payload: [1]))
            _ = try await fixture.sighting()
            try bluez.endDiscovery(Self.hci0)
            let mover = fixture.letTimePass()
            defer { mover.cancel() }
            _ = try await bluez.monitor()
        }
    }

    @Test("A monitor that gets no answer is withdrawn and tried again")
    func unansweredMonitor() async throws {
        try await RadioFixture.withBlueZ(adapters: [.monitoring]) { fixture, bluez in
            bluez.refuse("RegisterMonitor", with: DBusError.noReply)
            try await fixture.radio.start()
            let first = try await bluez.monitor()
            try await bluez.requests.wait(for: .stopMonitor(adapter: Self.hci0, root: first))
            #expect(try await fixture.status(.unavailable).problem?.code == "bluetoothd-silent")
            await fixture.clock.waitForSleepers(1)
            fixture.clock.advance(by: .seconds(1))
            _ = try await bluez.monitor()
            _ = try await fixture.status(.ready)
        }
    }

    @Test("A monitor that bluetoothd releases is registered again")
    func monitorIsReleased() async throws {
        try await RadioFixture.working(adapters: [.monitoring]) { fixture, bluez in
            let first = try await bluez.monitor()
            try await bluez.callClient(first + "/monitor", "org.bluez.AdvertisementMonitor1", "Release")
            let mover = fixture.letTimePass()
            defer { mover.cancel() }
            let second = try await bluez.monitor()
            #expect(first != second)
        }
    }

    @Test("If the kernel refuses five monitors in a row, the adapter discovers")
    func monitorsThatAreDropped() async throws {
        let adapter = MockBlueZ.Adapter(offersMonitors: true, refusesMonitors: true)
        try await RadioFixture.withBlueZ(adapters: [adapter]) { fixture, bluez in
            try await fixture.radio.start()
            let mover = fixture.letTimePass()
            defer { mover.cancel() }
            var monitors = 0
            while try await bluez.requests.next({ request in
                switch request {
                case .monitor: true
                case .discover: false
                default: nil
                }
            }) {
                monitors += 1
            }
            #expect(monitors == DroppedMonitors.mostDrops)
        }
    }

    @Test("A monitor that is released before its answer is registered again")
    func releasedBeforeTheAnswer() async throws {
        try await RadioFixture.withBlueZ(adapters: [.monitoring]) { fixture, bluez in
            let (answers, answer) = AsyncStream.makeStream(of: Void.self)
            bluez.hold("RegisterMonitor", until: Task { for await _ in answers {} })
            try await fixture.radio.start()
            let first = try await bluez.monitor()
            try await bluez.callClient(first + "/monitor", "org.bluez.AdvertisementMonitor1", "Release")
            await fixture.clock.waitForSleepers(1)
            fixture.clock.advance(by: .seconds(1))
            // The first attempt is still under way, so a retry is scheduled.
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
        }
    }

    @Test("Another program's scan gives no finding, and is never stopped")
    func somebodyElsesScan() async throws {
        try await RadioFixture.withBlueZ { fixture, bluez in
            bluez.refuse("StartDiscovery", with: "org.bluez.Error.InProgress", times: 2)
            try await fixture.radio.start()
            _ = try await fixture.status(.ready)
            for delay in [1, 2] {
                await fixture.clock.waitForSleepers(1)
                fixture.clock.advance(by: .seconds(delay))
            }
            // Two refusals and a success, without a stop in between.
            var asked = 0
            while asked < 3 {
                let request = try await bluez.requests.next { $0 }
                if case .discover = request { asked += 1 }
                #expect(request != .stopDiscovery(adapter: Self.hci0))
            }
        }
    }

    /// bluetoothd gives the same answer to a client whose own discovery runs.
    @Test("The radio does not stop a discovery that has been in progress for a minute")
    func discoveryInProgress() async throws {
        try await PrivateBus.with { bus in
            let bluez = try await MockBlueZ(on: bus.address)
            bluez.refuse("StartDiscovery", with: "org.bluez.Error.InProgress", times: 100)
            let connection = try await DBusConnection.open(address: bus.address)
            let clock = ManualClock()
            let (stream, told) = AsyncStream.makeStream(of: Scanner.Outcome.self)
            let outcomes = EventLog(stream)
            let scanner = Self.scanner(of: bluez, on: connection, clock) { told.yield($0) }
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

    @Test("If a dial begins while discovery is starting, discovery stops once it has started, until the dial ends")
    func pausedWhileItStarts() async throws {
        try await PrivateBus.with { bus in
            let bluez = try await MockBlueZ(on: bus.address)
            let (answers, answer) = AsyncStream.makeStream(of: Void.self)
            bluez.hold("StartDiscovery", until: Task { for await _ in answers {} })
            let connection = try await DBusConnection.open(address: bus.address)
            let scanner = Self.scanner(of: bluez, on: connection, ManualClock()) { _ in }
            await scanner.start()
            try await bluez.requests.wait(for: .discover(adapter: Self.hci0))
            await scanner.pause()
            answer.finish()
            try await bluez.requests.wait(for: .stopDiscovery(adapter: Self.hci0))
            await scanner.resume()
            try await bluez.requests.wait(for: .discover(adapter: Self.hci0))
            await scanner.stop()
            connection.close()
            await bluez.stop()
        }
    }

    private static func scanner(
        of bluez: MockBlueZ, on connection: DBusConnection, _ clock: ManualClock,
        report: @escaping @Sendable (Scanner.Outcome) -> Void
    ) -> Scanner {
        Scanner(
            daemon: BlueZDaemon(connection: connection, owner: bluez.connection.uniqueName), adapter: hci0,
            offersMonitors: false, prefix: [], paths: ObjectPaths(), traffic: ChannelTraffic(clock: clock),
            clock: clock, logger: Logger(label: "test"), report: report)
    }

    @Test("A refused scan is reported and tried again")
    func refusedScan() async throws {
        try await RadioFixture.withBlueZ { fixture, bluez in
            bluez.refuse("StartDiscovery", with: "org.bluez.Error.Failed")
            try await fixture.radio.start()
            #expect(try await fixture.status(.unavailable).problem?.code == "bluetooth-refused")
            await fixture.clock.waitForSleepers(1)
            fixture.clock.advance(by: .seconds(1))
            _ = try await fixture.status(.ready)
        }
    }

    @Test("The error Busy is reported, and scanning is retried after 1 s, 2 s, and up to 32 s")
    func busy() async throws {
        try await RadioFixture.withBlueZ { fixture, bluez in
            bluez.refuse("StartDiscovery", with: "org.bluez.Error.Busy", times: 7)
            try await fixture.radio.start()
            #expect(
                try await fixture.status(.unavailable).problem
                    == Finding(
                        .bluetoothRefused, ["reason": .reason(Reason(.programBusy, ["program": "bluetoothd"]))]))
            for delay in [1, 2, 4, 8, 16, 32, 32] {
                try await bluez.requests.wait(for: .discover(adapter: Self.hci0))
                await fixture.clock.waitForSleepers(1)
                // Not earlier.
                fixture.clock.advance(by: .seconds(delay) - .milliseconds(1))
                #expect(fixture.clock.sleeperCount == 1)
                fixture.clock.advance(by: .milliseconds(1))
            }
            try await bluez.requests.wait(for: .discover(adapter: Self.hci0))
            _ = try await fixture.status(.ready)
        }
    }

    @Test("An adapter that cannot scan is reported, and not asked again")
    func adapterCannotScan() async throws {
        try await RadioFixture.withBlueZ { fixture, bluez in
            bluez.refuse("StartDiscovery", with: "org.bluez.Error.NotSupported")
            try await fixture.radio.start()
            #expect(try await fixture.status(.unavailable).problem == Finding(.adapterUnfit))
            // No task waits on the clock.
            try await fixture.radio.advertise([1])
            #expect(fixture.clock.sleeperCount == 0)
        }
    }

    @Test("Discovery that ends is started again")
    func discoveryEnds() async throws {
        try await RadioFixture.working { fixture, bluez in
            try await bluez.requests.wait(for: .discover(adapter: Self.hci0))
            // The sighting shows that the first answer has arrived, which must come before the
            // adapter's change.
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
}
