// SPDX-License-Identifier: Apache-2.0

import BatonBus
import BatonTesting
import DBus
import Diagnosis
import Foundation
import Synchronization
import Testing

/// Tests the state that panels show, on a real bus.
@Suite(.timeLimit(.minutes(1)))
struct PanelTests {
    private static let properties = "org.freedesktop.DBus.Properties"

    /// Returns the signals about changed properties, as a program in another language gets them.
    private func signals(_ ends: Ends) async throws -> (DBusConnection, AsyncStream<DBusSignal>.Iterator) {
        let connection = try await DBusConnection.open(address: ends.bus.address)
        let signals = try await connection.signals(
            matching: DBusMatch(sender: BatonBusName.bus, path: BatonBusName.path, interface: Self.properties))
        return (connection, signals.makeAsyncIterator())
    }

    private func changed(_ signal: DBusSignal?) -> [String: DBusValue]? {
        guard let signal, signal.member == "PropertiesChanged", signal.arguments.count == 3,
            signal.arguments[0].stringValue == BatonBusName.panel, signal.arguments[2].stringsValue == []
        else { return nil }
        return signal.arguments[1].propertiesValue
    }

    @Test("A change causes one signal with the changed properties, and no change causes none")
    func oneSignalForAChange() async throws {
        try await Ends.with { ends in
            var (connection, signals) = try await signals(ends)
            let reason = "Baton is paused; 'baton resume' ends that"
            for _ in 0..<3 {
                ends.service.publish(
                    PanelStatus(state: .paused, reason: reason, pausedUntil: Date(timeIntervalSince1970: 1_800_000_000))
                )
            }
            #expect(
                changed(await signals.next()) == [
                    "State": .string("paused"), "Reason": .string(reason), "PausedUntil": .int64(1_800_000_000),
                ])
            // If the service had sent another signal, it would arrive first.
            ends.service.publish(PanelStatus(state: .running))
            #expect(
                changed(await signals.next()) == [
                    "State": .string("running"), "Reason": .string(""), "PausedUntil": .int64(0),
                ])
            connection.close()
        }
    }

    @Test("A change of only the signal strength causes no signal")
    func signalStrengthIsNotTold() async throws {
        try await Ends.with { ends in
            var (connection, signals) = try await signals(ends)
            var offer = FakeHandler.full
            for strength in [-60, -59, -70] {
                offer.signal = strength
                ends.service.publish(PanelStatus(state: .running, bestOffer: offer))
            }
            var told = FakeHandler.full
            told.signal = nil
            let first = try #require(changed(await signals.next()))
            #expect(first["BestOffer"]?.propertiesValue?["offer"] == .string(told.offer))
            #expect(first["BestOffer"]?.propertiesValue?["signal"] == nil)
            ends.service.publish(PanelStatus(state: .running))
            #expect(changed(await signals.next()) == ["BestOffer": .properties([:])])
            connection.close()
        }
    }

    @Test("Quick changes are combined, so that a hundred changes cause two signals")
    func changesAreGathered() async throws {
        try await Ends.with { ends in
            var (connection, signals) = try await signals(ends)
            let (statuses, status) = AsyncStream.makeStream(of: PanelStatus.self, bufferingPolicy: .bufferingNewest(1))
            let (rests, rest) = AsyncStream.makeStream(of: Void.self)
            let (wakes, wake) = AsyncStream.makeStream(of: Void.self)
            let publishing = Task {
                await ends.service.publish(statuses) {
                    rest.yield()
                    for await _ in wakes { return }
                }
            }
            func named(_ number: Int) -> PanelStatus { PanelStatus(state: .running, reason: "\(number)") }
            status.yield(named(0))
            var resting = rests.makeAsyncIterator()
            await resting.next()
            for number in 1...99 { status.yield(named(number)) }
            wake.yield()
            await resting.next()
            #expect(changed(await signals.next())?["Reason"] == .string("0"))
            #expect(changed(await signals.next()) == ["Reason": .string("99")])
            publishing.cancel()
            status.finish()
            wake.finish()
            await publishing.value
            connection.close()
        }
    }

    @Test("Properties can be read singly and together, and unknown ones give the standard errors")
    func propertiesAreRead() async throws {
        try await Ends.with { ends in
            ends.service.publish(PanelStatus(state: .noRadio, reason: "switch it on", bestOffer: FakeHandler.bare))
            func get(_ interface: String, _ property: String) async throws -> DBusValue? {
                try await ends.raw(Self.properties, "Get", [.string(interface), .string(property)]).first
            }
            #expect(try await get(BatonBusName.panel, "State") == .variant(.string("no-radio")))
            #expect(try await get(BatonBusName.panel, "PausedUntil") == .variant(.int64(0)))
            let all = try await ends.raw(Self.properties, "GetAll", [.string(BatonBusName.panel)])
            #expect(
                all.first?.propertiesValue?.keys.sorted() == [
                    "BestOffer", "PausedUntil", "Reason", "State", "Withheld",
                ])
            func refusal(_ body: () async throws -> Void) async -> String? {
                do {
                    try await body()
                    return nil
                } catch { return (error as? DBusError)?.name }
            }
            #expect(await refusal { _ = try await get(BatonBusName.panel, "Mood") } == DBusError.unknownProperty)
            #expect(
                await refusal { _ = try await get("org.batonproject.Baton1.None", "State") }
                    == DBusError.unknownInterface)
            let set: [DBusValue] = [
                .string(BatonBusName.panel), .string("State"), .variant(.string("running")),
            ]
            #expect(
                await refusal { _ = try await ends.raw(Self.properties, "Set", set) } == DBusError.propertyReadOnly)
        }
    }

    @Test("A refused client cannot read the properties")
    func strangersReadNothing() async throws {
        try await Ends.with { ends in
            ends.handler.state.withLock { $0.admission = { _ in throw BatonError(.notAllowed, .otherUser) } }
            #expect(await code { _ = try await ends.client.panelStatus() } == .notAllowed)
        }
    }

    @Test("A panel in Swift gets the present status, and then each change")
    func panelInSwift() async throws {
        try await Ends.with { ends in
            let paused = PanelStatus(
                state: .paused, reason: "r", pausedUntil: Date(timeIntervalSince1970: 1_800_000_000))
            ends.service.publish(paused)
            var statuses = try await ends.client.panelStatuses().makeAsyncIterator()
            #expect(await statuses.next() == paused)
            let offered = PanelStatus(state: .running, bestOffer: FakeHandler.full)
            ends.service.publish(offered)
            #expect(await statuses.next() == offered)
            #expect(try await ends.client.panelStatus() == offered)
        }
    }

    @Test(
        "The tools gdbus and busctl show the properties",
        arguments: [
            ["gdbus", "introspect", "--session", "--dest", BatonBusName.bus, "--object-path", BatonBusName.path],
            ["busctl", "--user", "introspect", BatonBusName.bus, BatonBusName.path, BatonBusName.panel],
        ])
    func toolsShowThem(command: [String]) async throws {
        try await Ends.with { ends in
            ends.service.publish(PanelStatus(state: .running, bestOffer: FakeHandler.full))
            let parts = ["State", "running", "BestOffer", "org.example.edit"]
            var shown = try await Sandbox.run(command, information: .absent, bus: ends.bus.address)
            // Try again, because gdbus leaves out properties that it did not get within three
            // seconds, and a busy machine can take longer.
            for _ in 0..<5 where !parts.allSatisfy(shown.text.contains) {
                shown = try await Sandbox.run(command, information: .absent, bus: ends.bus.address)
            }
            #expect(shown.status == 0, "\(shown.text)")
            for part in parts { #expect(shown.text.contains(part), "\(part): \(shown.text)") }
        }
    }
}
