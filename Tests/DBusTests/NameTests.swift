// SPDX-License-Identifier: Apache-2.0

import BatonTesting
import ChildProcesses
import DBus
import Foundation
import Testing

@Suite(.timeLimit(.minutes(5)))
struct NameTests {
    private let name = "org.batonproject.Test"

    @Test("A name has one owner, and the next in its queue follows")
    func aNameHasOneOwner() async throws {
        try await withPair { server, client in
            #expect(try await server.requestName(name) == .primaryOwner)
            #expect(try await server.requestName(name) == .alreadyOwner)
            #expect(try await client.requestName(name) == .exists)
            #expect(try await client.requestName(name, flags: []) == .inQueue)
            #expect(try await client.owner(of: name) == server.uniqueName)
            try await server.releaseName(name)
            #expect(try await client.owner(of: name) == client.uniqueName)
            #expect(try await client.owner(of: "org.batonproject.Nobody") == nil)
            #expect(await errorName { _ = try await client.requestName("1") } == DBusError.invalidArguments)
        }
    }

    @Test("Changes of a name's owner are reported, also when a peer leaves the bus")
    func changesAreSeen() async throws {
        try await withPair { server, client in
            var changes = try await client.nameOwnerChanges(of: name).makeAsyncIterator()
            var departures = try await client.departures().makeAsyncIterator()
            _ = try await server.requestName(name)
            let first = try #require(await changes.next())
            #expect(first.name == name && first.newOwner == server.uniqueName)
            server.close()
            let second = try #require(await changes.next())
            #expect(second.name == name && second.newOwner == nil)
            var left: Set<String> = []
            while left.count < 2, let departure = await departures.next() { left.insert(departure.name) }
            #expect(left == [name, server.uniqueName])
        }
    }

    @Test("Credentials come from the bus, and a name without an owner has none")
    func credentialsAreTheBusesOwn() async throws {
        try await withPair { server, client in
            let credentials = try await client.credentials(of: server.uniqueName)
            #expect(credentials.userID == getuid())
            #expect(credentials.processID == UInt32(ProcessInfo.processInfo.processIdentifier))
            #expect(await errorName { _ = try await client.credentials(of: ":1.999") } == DBusError.nameHasNoOwner)
        }
    }

    @Test("A peer that answers that it has no Ping counts as alive at once")
    func refusedPing() async throws {
        try await PrivateBus.with { bus in
            let stranger = try await DBusConnection.open(address: bus.address)
            stranger.setGate { _ in DBusError(name: DBusError.unknownInterface, message: "org.freedesktop.DBus.Peer") }
            let client = try await DBusConnection.open(address: bus.address)
            // Without an answer the result would take an hour.
            #expect(await client.isAlive(stranger.uniqueName, patience: .seconds(3_600)))
        }
    }

    @Test("A peer is alive if it answers or stays on the bus, but not if it leaves")
    func livenessIsKnownBeforeTheBusSeesAnEnd() async throws {
        try await PrivateBus.with { bus in
            let server = try await DBusConnection.open(address: bus.address)
            let client = try await DBusConnection.open(address: bus.address)
            #expect(await client.isAlive(server.uniqueName))
            #expect(await client.isAlive(":1.999") == false)
            let gate = Gate()
            let (callers, sink) = AsyncStream.makeStream(of: String.self)
            let hold = DBusMethod("Hold") { call in
                sink.yield(call.sender)
                await gate.wait()
                return []
            }
            try server.export(DBusObject(interfaces: [DBusInterface(interface, methods: [hold])]), at: path)
            // This program waits for the answer to its own call, and answers no calls.
            let mute = try await ChildProcess(
                "/usr/bin/dbus-send",
                [
                    "--bus=\(bus.address)", "--print-reply", "--reply-timeout=600000", "--dest=\(server.uniqueName)",
                    path, "\(interface).Hold",
                ])
            var names = callers.makeAsyncIterator()
            let name = try #require(await names.next())
            #expect(await client.isAlive(name, patience: .milliseconds(10)))
            async let isAlive = client.isAlive(name, patience: .seconds(240))
            // The bus still names an owner, so asking only for the owner would give a wrong result.
            for _ in 0..<100 { #expect(try await client.owner(of: name) == name) }
            mute.send(SIGKILL)
            #expect(await isAlive == false)
            gate.open()
        }
    }
}
