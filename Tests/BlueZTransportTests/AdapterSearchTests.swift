// SPDX-License-Identifier: GPL-3.0-or-later

import BatonTesting
import BatonTransport
import DBus
import Diagnosis
import Foundation
import Testing

@testable import BlueZTransport

@Suite(.timeLimit(.minutes(3))) struct AdapterSearchTests {
    private let two = [
        MockBlueZ.Adapter(name: "hci1", address: "00:AA:01:00:00:01"), MockBlueZ.Adapter(isPowered: false),
    ]

    private func adapters(_ bus: PrivateBus, named name: String? = nil) -> AdapterSearch {
        AdapterSearch(configuration: BlueZConfiguration(adapter: name, busAddress: bus.address))
    }

    @Test("Present adapters are named in order, powered or not")
    func adaptersAreNamedInOrder() async throws {
        try await PrivateBus.with { bus in
            let bluez = try await MockBlueZ(on: bus.address, adapters: two)
            #expect(await adapters(bus).present() == .adapters(["hci0", "hci1"]))
            #expect(await adapters(bus, named: "hci1").present() == .adapters(["hci1"]))
            #expect(await adapters(bus, named: "hci7").present() == .adapters([]))
            await bluez.stop()
        }
    }

    @Test("An adapter that only the kernel lists is reported as unlisted")
    func unlisted() async throws {
        let kernel = FileManager.default.temporaryDirectory.appending(path: "adapters-\(UUID().uuidString)")
        // hci3:42 is a connection, not an adapter.
        for name in ["hci3", "hci3:42", "hci10", "hcix", "other"] {
            try FileManager.default.createDirectory(
                at: kernel.appending(path: name), withIntermediateDirectories: true)
        }
        defer { try? FileManager.default.removeItem(at: kernel) }
        try await PrivateBus.with { bus in
            func answer(named name: String? = nil) async -> AdapterSearch.Answer {
                var configuration = BlueZConfiguration(adapter: name, busAddress: bus.address)
                configuration.kernelAdapters = kernel.path
                return await AdapterSearch(configuration: configuration).present()
            }
            #expect(await answer() == .stopped)
            let bluez = try await MockBlueZ(on: bus.address, adapters: [])
            #expect(await answer() == .unlisted("hci10"))
            #expect(await answer(named: "hci3") == .unlisted("hci3"))
            #expect(await answer(named: "hci7") == .adapters([]))
            try bluez.add(two[0])
            #expect(await answer() == .adapters(["hci1"]))
            await bluez.stop()
        }
        let status = BlueZStatus(adaptersOfKernel: ["hci3"]).status
        #expect(status.condition == .absent && status.findings == [Finding(unlisted: "hci3")])
    }

    @Test("A missing bluetoothd and a missing bus are reported")
    func withoutBluetoothdOrABus() async throws {
        try await PrivateBus.with { bus in
            #expect(await adapters(bus).present() == .stopped)
        }
        let nowhere = BlueZConfiguration(busAddress: "unix:path=/nonexistent/bus")
        #expect(await AdapterSearch(configuration: nowhere).present() == .noBus)
    }

    @Test("The search for the first adapter waits while bluetoothd starts")
    func firstIsWaitedFor() async throws {
        try await PrivateBus.with { bus in
            let adapters = adapters(bus, named: "hci1")
            async let first = adapters.first()
            let bluez = try await MockBlueZ(on: bus.address, adapters: [MockBlueZ.Adapter()])
            // The search has asked for the adapters, and has not found hci1.
            try await bluez.requests.wait(for: .managedObjects)
            try bluez.add(two[0])
            #expect(await first == "hci1")
            await bluez.stop()
        }
    }

    @Test("A bluetoothd that hangs is reported and asked again")
    func bluetoothdThatHangs() async throws {
        try await PrivateBus.with { bus in
            let bluez = try await MockBlueZ(on: bus.address)
            let (answers, answer) = AsyncStream.makeStream(of: Void.self)
            bluez.hold("GetManagedObjects", until: Task { for await _ in answers {} })
            let clock = ManualClock()
            let adapters = AdapterSearch(configuration: BlueZConfiguration(busAddress: bus.address), clock: clock)
            // The call's time limit uses the real clock, not the test's.
            let began = ContinuousClock.now
            #expect(await adapters.present() == .silent)
            #expect(ContinuousClock.now - began >= .seconds(5))
            try await bluez.requests.wait(for: .managedObjects)
            answer.finish()
            bluez.refuse("GetManagedObjects", with: DBusError.noReply, times: 2)
            async let first = adapters.first()
            for moment in [30, 60] {
                await clock.waitForSleepers(1)
                #expect(clock.moments == [.seconds(moment)])
                clock.advance(by: .seconds(30))
            }
            #expect(await first == "hci0")
            await bluez.stop()
        }
    }

    @Test("A bus that is missing or ends is tried again")
    func busIsLookedForAgain() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "baton-bus-\(UUID().uuidString)").path
        defer { unlink(path) }
        let clock = ManualClock()
        let adapters = AdapterSearch(configuration: BlueZConfiguration(busAddress: "unix:path=\(path)"), clock: clock)
        let first = Task { await adapters.first() }
        for found in [[], [MockBlueZ.Adapter()]] {
            await clock.waitForSleepers(1)
            try await PrivateBus.with { bus in
                try link(path, to: bus)
                let bluez = try await MockBlueZ(on: bus.address, adapters: found)
                clock.advance(by: BlueZRadio.pauseBeforeAskingAgain)
                try await bluez.requests.wait(for: .managedObjects)
                if !found.isEmpty { #expect(await first.value == "hci0") }
                await bluez.stop()
            }
        }
    }

    /// Makes the path lead to another bus.
    private func link(_ path: String, to bus: PrivateBus) throws {
        let socket = try #require(bus.address.firstMatch(of: /unix:path=([^,]+)/)).output.1
        unlink(path)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: String(socket))
    }

    @Test("Cancelling the task ends the wait for an adapter")
    func theWaitEndsWithItsTask() async {
        let clock = ManualClock()
        let nowhere = BlueZConfiguration(busAddress: "unix:path=/nonexistent/bus")
        let wait = Task { await AdapterSearch(configuration: nowhere, clock: clock).first() }
        await clock.waitForSleepers(1)
        wait.cancel()
        #expect(await wait.value == nil)
    }
}
