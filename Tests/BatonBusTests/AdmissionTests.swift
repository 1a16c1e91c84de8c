// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonTesting
import DBus
import Diagnosis
import Foundation
import Synchronization
import Testing

@testable import BatonBus

/// Tests that a client's calls wait until the client is admitted.
@Suite(.timeLimit(.minutes(5)))
struct AdmissionTests {
    /// A gate at which clients wait until the test opens it.
    private final class Door: Sendable {
        private let stream: AsyncStream<Void>
        private let opening: AsyncStream<Void>.Continuation
        let knocks = Mutex(0)
        init() { (stream, opening) = AsyncStream.makeStream(of: Void.self) }
        func open() { opening.finish() }
        func pass() async -> Admission {
            knocks.withLock { $0 += 1 }
            for await _ in stream {}
            return .managing
        }
    }

    @Test("Calls wait until their client is admitted, and begin in the order in which they were made")
    func callsWaitAndKeepTheirOrder() async throws {
        try await Ends.with { ends in
            let door = Door()
            ends.handler.state.withLock { $0.admission = { _ in await door.pass() } }
            let program = try await DBusConnection.open(address: ends.bus.address)
            let calls = (1...50).map { number in
                // Send the calls synchronously, one after the other.
                Task.immediate {
                    try await program.call(
                        destination: BatonBusName.bus, path: BatonBusName.path, interface: BatonBusName.activities,
                        member: "BecomeCurrent", arguments: [.string("a\(number)")])
                }
            }
            // The bus delivers calls in order, so the daemon now has all of them.
            _ = try await program.call(
                destination: BatonBusName.bus, path: BatonBusName.path, interface: "org.freedesktop.DBus.Peer",
                member: "Ping")
            #expect(ends.handler.calls.isEmpty)
            door.open()
            for call in calls { _ = try await call.value }
            #expect(ends.handler.calls == (1...50).map { "current a\($0)" })
            #expect(door.knocks.withLock { $0 } == 1)
            program.close()
        }
    }

    @Test("A refused client gets the error for each waiting call, and its next call asks for admission again")
    func refusedClientsGetTheError() async throws {
        try await Ends.with { ends in
            ends.handler.state.withLock {
                $0.admission = { _ in throw BatonError(.notAllowed, .otherUser) }
            }
            for _ in 0..<2 {
                #expect(await code { try await ends.client.becomeCurrent(activity: "a") } == .notAllowed)
                #expect(await code { _ = try await ends.client.status() } == .notAllowed)
            }
            #expect(ends.handler.calls.isEmpty)
            ends.handler.state.withLock { $0.admission = nil }
            try await ends.client.becomeCurrent(activity: "a")
            #expect(ends.handler.calls == ["current a"])
        }
    }

    @Test("The table forgets a refused client with its waiting calls, and remembers an admitted client")
    func refusalEndsWithItsCalls() {
        var table = ClientTable()
        let client = ClientID(rawValue: ":1.1")
        func hold() -> ClientTable.Held {
            table.begin(client)
            return table.hold(HeldCall { _ in .success([]) }, of: client)
        }
        #expect([hold(), hold()] == [.first(nil), .behindOthers])
        #expect(table.dismiss(client).count == 2)
        #expect([hold(), hold()] == [.first(nil), .behindOthers])
        #expect(table.take(client, admitting: .managing).count == 2)
        #expect(hold() == .behindOthers)
        #expect(table.take(client, admitting: .managing).count == 1)
        // No calls are waiting, so the next call does not queue behind others.
        #expect(table.take(client, admitting: .managing).isEmpty)
        #expect([hold(), hold()] == [.first(.managing), .behindOthers])
    }

    @Test("A client without rights learns whether Baton works, but nothing about devices, programs and the network")
    func statusIsForThoseWhoManage() async throws {
        try await Ends.with { ends in
            #expect(try await ends.client.status() == FakeHandler.status)
            ends.handler.state.withLock { $0.admission = { _ in [] } }
            let other = try await BatonBusClient.connect(address: ends.bus.address)
            let told = try await other.status()
            let status = FakeHandler.status
            let works = DaemonStatus(
                version: status.version, radio: status.radio, radioCondition: status.radioCondition,
                radioProblem: status.radioProblem, device: status.device, deviceName: status.deviceName,
                circle: status.circle, withoutCircle: status.withoutCircle, isPaused: status.isPaused,
                pausedUntil: status.pausedUntil)
            #expect(told == works && told != status)
            other.close()
        }
    }

    @Test("A client without rights cannot change the circle")
    func circleNeedsManaging() async throws {
        try await Ends.with { ends in
            ends.handler.state.withLock { $0.admission = { _ in [] } }
            #expect(await code { _ = try await ends.client.createCircle(name: "x") } == .notAllowed)
            #expect(await code { _ = try await ends.client.invite() } == .notAllowed)
            #expect(await code { _ = try await ends.client.joinCircle(invitation: "secret") } == .notAllowed)
            #expect(await code { _ = try await ends.client.pair() } == .notAllowed)
            #expect(await code { try await ends.client.confirm(pairing: "p", same: true) } == .notAllowed)
            #expect(await code { _ = try await ends.client.paired("p") } == .notAllowed)
            #expect(await code { try await ends.client.rename(to: "x") } == .notAllowed)
            #expect(await code { _ = try await ends.client.ping("x") } == .notAllowed)
            #expect(await code { _ = try await ends.client.probe("x") } == .notAllowed)
            #expect(await code { _ = try await ends.client.trace(revealing: []) } == .notAllowed)
            #expect(await code { _ = try await ends.client.removeDevice("d") } == .notAllowed)
            #expect(await code { _ = try await ends.client.leaveCircle() } == .notAllowed)
            #expect(ends.handler.calls.isEmpty)
            let status = try await ends.client.status()
            #expect(status.device == FakeHandler.status.device)
        }
    }

    @Test("A client without rights can neither change rules nor open offers in other apps")
    func rulesAndOpeningNeedManaging() async throws {
        try await Ends.with { ends in
            ends.handler.state.withLock { $0.admission = { _ in [] } }
            #expect(await code { _ = try await ends.client.rules() } == .notAllowed)
            #expect(await code { try await ends.client.addRule("ask") } == .notAllowed)
            #expect(await code { try await ends.client.addRule("ask", at: 1) } == .notAllowed)
            #expect(await code { try await ends.client.removeRule(1) } == .notAllowed)
            #expect(await code { try await ends.client.pause() } == .notAllowed)
            #expect(await code { try await ends.client.resume() } == .notAllowed)
            #expect(await code { _ = try await ends.client.openOffer("o") } == .notAllowed)
            #expect(ends.handler.calls.isEmpty)
        }
    }

    @Test("A client without rights cannot grant permissions, not even to itself")
    func grantingNeedsManaging() async throws {
        try await Ends.with { ends in
            ends.handler.state.withLock { $0.admission = { _ in [] } }
            #expect(await code { _ = try await ends.client.grants() } == .notAllowed)
            #expect(await code { _ = try await ends.client.domains() } == .notAllowed)
            #expect(await code { _ = try await ends.client.checkDomain("example.com") } == .notAllowed)
            #expect(await code { _ = try await ends.client.adapters() } == .notAllowed)
            #expect(await code { try await ends.client.allowAdapter("a.b") } == .notAllowed)
            #expect(await code { try await ends.client.refuseAdapter("a.b") } == .notAllowed)
            #expect(await code { try await ends.client.switchAdapter("a.b", on: true) } == .notAllowed)
            #expect(await code { try await ends.client.allow(FakeHandler.grants[0]) } == .notAllowed)
            #expect(await code { try await ends.client.refuse(FakeHandler.grants[0]) } == .notAllowed)
            #expect(ends.handler.calls.isEmpty)
        }
    }

    @Test("Reading the history and stopping devices need the right to manage")
    func historyNeedsManaging() async throws {
        try await Ends.with { ends in
            ends.handler.state.withLock { $0.admission = { _ in [] } }
            #expect(await code { _ = try await ends.client.history() } == .notAllowed)
            #expect(await code { try await ends.client.forgetHistory() } == .notAllowed)
            #expect(await code { _ = try await ends.client.stopDevice("b") } == .notAllowed)
            #expect(await code { _ = try await ends.client.statuses() } == .notAllowed)
            #expect(await code { _ = try await ends.client.settings() } == .notAllowed)
            #expect(await code { _ = try await ends.client.historyChanges() } == .notAllowed)
            #expect(await code { _ = try await ends.client.grantChanges() } == .notAllowed)
            #expect(await code { _ = try await ends.client.userFiles() } == .notAllowed)
            #expect(await code { try await ends.client.setFolder("a", to: "/") } == .notAllowed)
            #expect(await code { try await ends.client.lookForPairing(true) } == .notAllowed)
            #expect(await code { _ = try await ends.client.appChanges() } == .notAllowed)
            #expect(await code { try await ends.client.set("notifications", to: "off") } == .notAllowed)
            #expect(await code { _ = try await ends.client.allowDevice("b") } == .notAllowed)
            #expect(ends.handler.calls.isEmpty)
        }
    }

    @Test("If a client leaves before it is admitted, the daemon notices, and the client's calls are cancelled")
    func leavingAtTheDoor() async throws {
        try await Ends.with { ends in
            let door = Door()
            ends.handler.state.withLock { $0.admission = { _ in await door.pass() } }
            let program = try await BatonBusClient.connect(address: ends.bus.address)
            let id = program.id
            let call = Task.immediate { try await program.continueOffer("endless") }
            let ping = try await DBusConnection.open(address: ends.bus.address)
            // Wait until the daemon has the call.
            while door.knocks.withLock({ $0 }) == 0 {
                _ = try await ping.call(
                    destination: BatonBusName.bus, path: BatonBusName.path, interface: "org.freedesktop.DBus.Peer",
                    member: "Ping")
            }
            program.close()
            _ = await call.result
            door.open()
            for await gone in ends.handler.departures where gone == id { break }
            ping.close()
        }
    }
}
