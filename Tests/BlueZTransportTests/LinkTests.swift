// SPDX-License-Identifier: GPL-3.0-or-later

import BatonTesting
import BatonTransport
import DBus
import Diagnosis
import L2CAP
import NIOCore
import Testing

@testable import BlueZTransport

/// Tests how links are ended (Decisions/0034-one-link-to-a-device.md).
@Suite(.timeLimit(.minutes(3))) struct LinkTests {
    private static func address(_ number: Int) -> BluetoothAddress {
        BluetoothAddress(value: 0x4000_0000_0000 + UInt64(number), kind: .random)
    }

    /// Returns the next device whose link is ended.
    private static func ended(_ bluez: MockBlueZ) async throws -> String {
        try await bluez.requests.next { if case .disconnect(let path) = $0 { path } else { nil } }
    }

    /// Begins to listen on two adapters, and returns when both listen. Refuses both at first,
    /// because only the end of a refusal is reported.
    private static func listen(_ fixture: RadioFixture, _ bluez: MockBlueZ) async throws {
        let refused = FindingCode.bluetoothRefused.rawValue
        bluez.refuse("StartDiscovery", with: "org.bluez.Error.Failed", times: 2)
        try await fixture.radio.start()
        _ = try await fixture.status(.unavailable)
        await fixture.clock.waitForSleepers(2)
        fixture.clock.advance(by: .seconds(1))
        try await fixture.events.next { event -> Void? in
            guard case .status(let status) = event else { return nil }
            return status.findings.contains { $0.code == refused } ? nil : ()
        }
        for _ in 1...4 { try await bluez.requests.next { if case .discover = $0 { () } else { nil } } }
    }

    /// Makes a dial that fails, because the adapter does not exist.
    private static func dial(_ peer: BluetoothAddress, by radio: BlueZRadio) async {
        let endpoint = Endpoint(transport: .l2cap, address: peer.description, port: 0x80)
        await #expect(throws: TransportError.self) {
            _ = try await radio.connect(to: endpoint, timeout: .seconds(1)) {
                $0.eventLoop.makeSucceededVoidFuture()
            }
        }
    }

    @Test("A dial ends the links that nothing uses")
    func unusedLinks() async throws {
        try await RadioFixture.working { fixture, bluez in
            let paths = (1...3).map { MockBlueZ.path(Self.address($0).octets) }
            for path in paths { try bluez.appear(path, [:]) }
            for number in 1...3 { await Self.dial(Self.address(number), by: fixture.radio) }
            #expect(try await Self.ended(bluez) == paths[0])
            #expect(try await Self.ended(bluez) == paths[1])
        }
    }

    @Test("A peer that two adapters have heard is dialled by the one that heard it last")
    func dialledByTheLastToHear() async throws {
        let adapters = [MockBlueZ.Adapter(), MockBlueZ.Adapter(name: "hci1", address: "00:AA:01:00:00:01")]
        try await RadioFixture.withBlueZ(adapters: adapters) { fixture, bluez in
            try await Self.listen(fixture, bluez)
            let peer = Self.address(1)
            for (number, adapter) in adapters.map(\.path).enumerated() {
                let payload = [UInt8(number)]
                fixture.clock.advance(by: .seconds(1))
                try bluez.appear(
                    MockBlueZ.path(peer.octets, on: adapter),
                    MockBlueZ.properties(of: peer.octets, on: adapter, payload: payload, kind: "random"))
                #expect(try await fixture.sighting().payload == payload)
            }
            await Self.dial(peer, by: fixture.radio)
            // The next request shows which adapter dials: it stops scanning for the dial, or starts
            // again if the dial is already over.
            let dialling = try await bluez.requests.next { request -> String? in
                switch request {
                case .stopDiscovery(let adapter), .filter(let adapter, _): adapter
                default: nil
                }
            }
            #expect(dialling == adapters[1].path)
        }
    }

    /// If the calls were made one after another, with 5 s for each, they would exceed this suite's
    /// time limit.
    @Test("Links are ended at the same time")
    func linksAreEndedAllAtOnce() async throws {
        try await PrivateBus.with { bus in
            let bluez = try await MockBlueZ(on: bus.address)
            let addresses = (0..<LinkUses.limit).map(Self.address)
            let paths = addresses.map { MockBlueZ.path($0.octets) }
            for path in paths { try bluez.appear(path, [:]) }
            let (stream, gate) = AsyncStream.makeStream(of: Void.self)
            bluez.disconnect(after: Task { for await _ in stream {} })
            let connection = try await DBusConnection.open(address: bus.address)
            let owner = try #require(await connection.owner(of: BlueZ.service))
            let daemon = BlueZDaemon(connection: connection, owner: owner)
            async let ending: Void = daemon.disconnect(addresses, on: ["/org/bluez/hci0"])
            // All calls arrive before any answer.
            var asked: Set<String> = []
            for _ in paths { asked.insert(try await Self.ended(bluez)) }
            #expect(asked == Set(paths))
            gate.finish()
            await ending
            connection.close()
            await bluez.stop()
        }
    }

    @Test("The radio ends only a link to a private address that an earlier daemon left")
    func leftByAnEarlierDaemon() async throws {
        try await RadioFixture.withBlueZ { fixture, bluez in
            func appear(_ octets: String, kind: String, _ changes: [String: DBusValue]) throws {
                let own = MockBlueZ.properties(of: octets, payload: [8], kind: kind)
                try bluez.appear(MockBlueZ.path(octets), own.merging(changes) { $1 })
            }
            let connected = ["Connected": DBusValue.bool(true)]
            try appear("40:00:00:00:00:01", kind: "random", connected.merging(["ManufacturerData": .bool(true)]) { $1 })
            try appear("40:00:00:00:00:02", kind: "public", connected)
            try appear("40:00:00:00:00:03", kind: "random", connected.merging(["Paired": .bool(true)]) { $1 })
            try appear("40:00:00:00:00:04", kind: "random", [:])
            try appear("40:00:00:00:00:05", kind: "random", connected)
            try await fixture.radio.start()
            #expect(try await Self.ended(bluez) == MockBlueZ.path("40:00:00:00:00:05"))
            // A link that comes up later was not left by an earlier daemon.
            try appear("40:00:00:00:00:06", kind: "random", connected)
            try bluez.appear(MockBlueZ.path(Self.address(7).octets), [:])
            _ = try await fixture.status(.ready)
            await Self.dial(Self.address(7), by: fixture.radio)
            await Self.dial(Self.address(8), by: fixture.radio)
            #expect(try await Self.ended(bluez) == MockBlueZ.path(Self.address(7).octets))
            await fixture.radio.stop()
        }
    }

    /// Dials a device and waits until the time limit for a silent link.
    private func dialInSilence(
        isConnected: Bool, isOwn: Bool,
        _ body: @Sendable @escaping (RadioFixture, MockBlueZ, Task<Bool, Never>) async throws -> Void
    ) async throws {
        try await RadioFixture.working { fixture, bluez in
            let peer = Self.address(1)
            try bluez.appear(MockBlueZ.path(peer.octets), ["Connected": .bool(isConnected)])
            let radio = fixture.radio
            await radio.use(peer, isOwn: isOwn)
            let cure = Task { await radio.endSilentLink(to: peer, on: "/org/bluez/hci0") }
            await fixture.clock.waitForSleepers(1)
            fixture.clock.advance(by: LinkUses.silenceLimit)
            try await body(fixture, bluez, cure)
        }
    }

    @Test("A dial without an answer for 6 s ends Baton's existing link, once")
    func silentLink() async throws {
        try await dialInSilence(isConnected: true, isOwn: true) { _, bluez, cure in
            let ended = try await Self.ended(bluez)
            #expect(ended == MockBlueZ.path(Self.address(1).octets))
            #expect(await cure.value)
        }
    }

    @Test(
        "A link that is not up, or that is not Baton's, is never ended because a dial gets no answer",
        arguments: [(false, true), (true, false)])
    func linkThatStays(isConnected: Bool, isOwn: Bool) async throws {
        try await dialInSilence(isConnected: isConnected, isOwn: isOwn) { fixture, bluez, cure in
            await fixture.clock.waitForSleepers(1)
            cure.cancel()
            #expect(await !cure.value)
            #expect(bluez.senders { if case .disconnect = $0 { true } else { false } }.isEmpty)
        }
    }

    // MARK: - The effect of links on the advertisement (Decisions/0086-advertised-anew.md)

    @Test("An advertisement that a link has ended is registered again while the link is up")
    func advertisedAnew() async throws {
        try await RadioFixture.working { fixture, bluez in
            try await fixture.radio.advertise([1])
            let first = try await bluez.advertisement()
            let path = MockBlueZ.path("C0:FF:EE:00:00:01")
            try bluez.appear(path, ["Connected": .bool(true)])
            let mover = fixture.letTimePass()
            try await bluez.requests.wait(for: .stopAdvertising(adapter: "/org/bluez/hci0", path: first.path))
            let second = try await bluez.advertisement()
            #expect(second.payload == [1])
            #expect(second.path != first.path)
            // A second link ends the advertisement again.
            try bluez.change(path, ["Connected": .bool(false)])
            try bluez.change(path, ["Connected": .bool(true)])
            #expect(try await bluez.advertisement().payload == [1])
            mover.cancel()
        }
    }

    @Test("A link that was dialled here does not end the advertisement")
    func dialledHere() async throws {
        try await RadioFixture.working { fixture, bluez in
            try await fixture.radio.advertise([1])
            _ = try await bluez.advertisement()
            let path = MockBlueZ.path(Self.address(1).octets)
            await Self.dial(Self.address(1), by: fixture.radio)
            try bluez.appear(path, ["Connected": .bool(true)])
            try bluez.appear(
                MockBlueZ.path("C0:FF:EE:00:00:01"), MockBlueZ.properties(of: "C0:FF:EE:00:00:01", payload: [8]))
            // After this sighting all earlier signals have been handled.
            _ = try await fixture.sighting()
            let mover = fixture.letTimePass()
            try await fixture.radio.advertise([2])
            #expect(try await bluez.advertisement().payload == [2])
            mover.cancel()
        }
    }
}

extension BlueZRadio {
    /// Counts a dial that has no answer yet.
    fileprivate func use(_ peer: BluetoothAddress, isOwn: Bool) { _ = links.use(peer, isOwn: isOwn) }
}
