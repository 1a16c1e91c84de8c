// SPDX-License-Identifier: GPL-3.0-or-later

import BatonTesting
import BatonTransport
import DBus
import Diagnosis
import Testing

@testable import BlueZTransport

@Suite(.timeLimit(.minutes(5))) struct AdvertisingTests {
    private let payload = [UInt8](1...24)

    /// bluetoothd asks for the advertisement's properties before it answers, so the radio must
    /// serve this call while it waits.
    @Test("An advertisement is served while it is being registered")
    func servedWhileRegistering() async throws {
        try await RadioFixture.working { fixture, bluez in
            try await fixture.radio.advertise(payload)
            let properties = try await bluez.requests.next {
                if case .advertise("/org/bluez/hci0", _, let properties) = $0 { properties } else { nil }
            }
            #expect(
                properties == [
                    "Type": .string("peripheral"),
                    "ManufacturerData": MockBlueZ.manufacturerData(payload),
                    "MinInterval": .uint32(100), "MaxInterval": .uint32(150),
                ])
        }
    }

    /// 3 bytes of flags, 2 of header, 2 of company identifier and the value are 31, which is all
    /// that a legacy advertisement holds.
    @Test("The flags and the longest payload fit a legacy advertisement")
    func longestPayloadFits() { #expect(3 + 2 + 2 + BlueZ.payloadLimit == 31) }

    @Test("A payload that is too long is refused before bluetoothd gets it")
    func payloadTooLong() async throws {
        try await RadioFixture.working { fixture, bluez in
            let error = await #expect(throws: TransportError.self) { try await fixture.radio.advertise(payload + [0]) }
            #expect(error?.code == .invalidArgument)
            try await fixture.radio.advertise([9])
            #expect(try await bluez.advertisement().payload == [9])
        }
    }

    @Test("A change is registered at a new path after the pause, and the newest wins")
    func changeAtANewPath() async throws {
        try await RadioFixture.working { fixture, bluez in
            try await fixture.radio.advertise([1])
            let first = try await bluez.advertisement()
            let overtaken = Task { try await fixture.radio.advertise([2]) }
            await fixture.clock.waitForSleepers(1)
            let newest = Task { try await fixture.radio.advertise([3]) }
            try await overtaken.value
            fixture.clock.advance(by: .seconds(1))
            try await newest.value
            try await bluez.requests.wait(for: .stopAdvertising(adapter: "/org/bluez/hci0", path: first.path))
            let second = try await bluez.advertisement()
            #expect(second.payload == [3])
            #expect(second.path != first.path)
        }
    }

    @Test("Ending the advertisement unregisters it at once")
    func silenceUnregistersAtOnce() async throws {
        try await RadioFixture.working { fixture, bluez in
            try await fixture.radio.advertise([1])
            let path = try await bluez.advertisement().path
            try await fixture.radio.advertise(nil)
            try await bluez.requests.wait(for: .stopAdvertising(adapter: "/org/bluez/hci0", path: path))
        }
    }

    @Test("A payload that was set before the start is advertised when there is an adapter")
    func askedBeforeTheStart() async throws {
        try await RadioFixture.withBlueZ(adapters: []) { fixture, bluez in
            try await fixture.radio.advertise([7])
            try await fixture.radio.start()
            _ = try await fixture.status(.absent)
            try bluez.add(MockBlueZ.Adapter())
            #expect(try await bluez.advertisement().payload == [7])
        }
    }

    @Test("Every adapter advertises")
    func everyAdapterAdvertises() async throws {
        let adapters = [MockBlueZ.Adapter(), MockBlueZ.Adapter(name: "hci1", address: "00:AA:01:00:00:01")]
        try await RadioFixture.working(adapters: adapters) { fixture, bluez in
            try await fixture.radio.advertise([1])
            var missing: Set = ["/org/bluez/hci0", "/org/bluez/hci1"]
            while !missing.isEmpty {
                let adapter = try await bluez.requests.next { request -> String? in
                    if case .advertise(let adapter, _, _) = request { adapter } else { nil }
                }
                missing.remove(adapter)
            }
        }
    }

    @Test("An advertisement that bluetoothd releases is registered again")
    func releasedByBluetoothd() async throws {
        try await RadioFixture.working { fixture, bluez in
            try await fixture.radio.advertise([1])
            let first = try await bluez.advertisement()
            try await bluez.callClient(first.path, "org.bluez.LEAdvertisement1", "Release")
            await fixture.clock.waitForSleepers(1)
            fixture.clock.advance(by: .seconds(1))
            let second = try await bluez.advertisement()
            #expect(second.payload == [1])
            #expect(second.path != first.path)
        }
    }

    @Test("An advertisement released before the answer to its registration is registered again")
    func releasedBeforeTheAnswer() async throws {
        try await RadioFixture.working { fixture, bluez in
            let (answers, answer) = AsyncStream.makeStream(of: Void.self)
            bluez.hold("RegisterAdvertisement", until: Task { for await _ in answers {} })
            let advertising = Task { try await fixture.radio.advertise([1]) }
            let first = try await bluez.advertisement()
            try await bluez.callClient(first.path, "org.bluez.LEAdvertisement1", "Release")
            answer.finish()
            let mover = fixture.letTimePass()
            defer { mover.cancel() }
            let second = try await bluez.advertisement()
            #expect(second.payload == [1] && second.path != first.path)
            try await advertising.value
        }
    }

    @Test("A registration that gets no answer is reported and withdrawn")
    func hangs() async throws {
        try await RadioFixture.working { fixture, bluez in
            let (answers, answer) = AsyncStream.makeStream(of: Void.self)
            bluez.hold("RegisterAdvertisement", until: Task { for await _ in answers {} })
            let advertising = Task { try await fixture.radio.advertise([1]) }
            let first = try await bluez.advertisement()
            // The call's time limit uses the real clock, not the test's.
            #expect(try await fixture.status(.unavailable).findings.map(\.code).contains("bluetoothd-silent"))
            try await bluez.requests.wait(for: .stopAdvertising(adapter: "/org/bluez/hci0", path: first.path))
            try await advertising.value
            answer.finish()
            await fixture.clock.waitForSleepers(1)
            #expect(fixture.clock.moments == [fixture.clock.uptime + .seconds(2)])
            fixture.clock.advance(by: .seconds(2))
            #expect(try await bluez.advertisement().payload == [1])
            _ = try await fixture.status(.ready)
        }
    }

    @Test("If the radio is full, only the signal that there is room causes a retry")
    func roomIsFree() async throws {
        try await RadioFixture.working { fixture, bluez in
            bluez.refuse("RegisterAdvertisement", with: "org.bluez.Error.NotPermitted", times: 2)
            try await fixture.radio.advertise([1])
            _ = try await bluez.advertisement()
            await fixture.clock.waitForSleepers(1)
            fixture.clock.advance(by: .seconds(2))
            _ = try await bluez.advertisement()
            await fixture.clock.waitForSleepers(1)
            // One of the 4 s until the next attempt passes.
            fixture.clock.advance(by: .seconds(1))
            try bluez.haveRoom("/org/bluez/hci0", for: 0)
            try bluez.haveRoom("/org/bluez/hci9", for: 1)
            try bluez.haveRoom("/org/bluez/hci0", for: 1)
            #expect(try await bluez.advertisement().payload == [1])
            _ = try await fixture.status(.ready)
        }
    }

    @Test("One adapter's refusal is reported, and the others keep advertising")
    func oneOfSeveralRefuses() async throws {
        let adapters = [MockBlueZ.Adapter(), MockBlueZ.Adapter(name: "hci1", address: "00:AA:01:00:00:01")]
        try await RadioFixture.working(adapters: adapters) { fixture, bluez in
            bluez.refuse("RegisterAdvertisement", with: "org.bluez.Error.NotPermitted")
            try await fixture.radio.advertise([1])
            let status = try await fixture.events.next { event -> RadioStatus? in
                guard case .status(let status) = event,
                    status.findings.contains(where: { $0.code == "advertising-full" })
                else { return nil }
                return status
            }
            #expect(status.condition == .ready && status.adapters == ["hci0", "hci1"])
            let isFirst = status.problem == Finding(.advertisingFull, ["adapter": "hci0"])
            let other = "/org/bluez/\(isFirst ? "hci1" : "hci0")"
            let mover = fixture.letTimePass()
            defer { mover.cancel() }
            try await fixture.radio.advertise([2])
            #expect(try await bluez.advertisement(on: other).payload == [1])
            #expect(try await bluez.advertisement(on: other).payload == [2])
        }
    }

    @Test("Five failed registrations in a row with the adapter on are reported as a broken kernel, with the remedy")
    func brokenKernel() async throws {
        try await RadioFixture.working { fixture, bluez in
            bluez.refuse("RegisterAdvertisement", with: "org.bluez.Error.Failed", times: 5)
            try await fixture.radio.advertise([1])
            let mover = fixture.letTimePass()
            defer { mover.cancel() }
            var codes: [String] = []
            while codes.last != "bluetooth-broken" {
                codes.append(try await fixture.status(.unavailable).findings.last?.code ?? "")
            }
            #expect(codes == ["bluetooth-refused", "bluetooth-broken"])
            _ = try await fixture.status(.ready)
        }
    }

    @Test("A stranger cannot release an advertisement")
    func strangerCannotRelease() async throws {
        try await RadioFixture.working { fixture, bluez in
            try await fixture.radio.advertise([1])
            let path = try await bluez.advertisement().path
            let stranger = try await DBusConnection.open(address: fixture.bus.address)
            let client = try #require(bluez.client(of: path))
            let error = await #expect(throws: DBusError.self) {
                try await stranger.call(
                    destination: client, path: path, interface: "org.bluez.LEAdvertisement1", member: "Release")
            }
            #expect(error?.name == DBusError.accessDenied)
            stranger.close()
        }
    }

    @Test(
        "A refusal is reported and tried again",
        arguments: [
            ("org.bluez.Error.NotPermitted", FindingCode.advertisingFull), (DBusError.accessDenied, .bluetoothDenied),
            ("org.bluez.Error.Failed", .bluetoothRefused), (DBusError.noReply, .bluetoothdSilent),
        ])
    func refusalTriedAgain(_ name: String, _ code: FindingCode) async throws {
        try await RadioFixture.working { fixture, bluez in
            bluez.refuse("RegisterAdvertisement", with: name)
            try await fixture.radio.advertise([1])
            let status = try await fixture.status(.unavailable)
            #expect(status.problem?.code == code.rawValue)
            _ = try await bluez.advertisement()
            await fixture.clock.waitForSleepers(1)
            fixture.clock.advance(by: .seconds(2))
            #expect(try await bluez.advertisement().payload == [1])
            _ = try await fixture.status(.ready)
        }
    }

    @Test("A refusal is no longer reported when nothing should be advertised any more")
    func refusalIsOver() async throws {
        try await RadioFixture.working { fixture, bluez in
            bluez.refuse("RegisterAdvertisement", with: "org.bluez.Error.NotPermitted")
            try await fixture.radio.advertise([1])
            _ = try await fixture.status(.unavailable)
            try await fixture.radio.advertise(nil)
            _ = try await fixture.status(.ready)
        }
    }

    @Test(
        "A final refusal is reported and not tried again",
        arguments: [
            "org.bluez.Error.InvalidLength", "org.bluez.Error.NotSupported", DBusError.unknownMethod,
        ])
    func cannotAdvertise(_ name: String) async throws {
        try await RadioFixture.working { fixture, bluez in
            bluez.refuse("RegisterAdvertisement", with: name)
            try await fixture.radio.advertise([1])
            #expect(try await fixture.status(.unavailable).problem == Finding(.adapterUnfit))
            let address = "00:AA:01:00:00:07"
            try bluez.appear(MockBlueZ.path(address), MockBlueZ.properties(of: address, payload: [3]))
            _ = try await fixture.sighting()
            await fixture.clock.waitForSleepers(1)
            // The heard device's expiry is scheduled, but no retry.
            try #require(fixture.clock.moments == [fixture.clock.uptime + .seconds(35)])
            fixture.clock.advance(by: .seconds(600))
            try await fixture.radio.advertise([2])
            #expect(try await bluez.advertisement().payload == [1])
            #expect(try await bluez.advertisement().payload == [2])
        }
    }
}
