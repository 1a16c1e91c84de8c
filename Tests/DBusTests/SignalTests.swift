// SPDX-License-Identifier: Apache-2.0

import BatonTesting
import DBus
import Testing

@Suite(.timeLimit(.minutes(5)))
struct SignalTests {
    private static func emit(_ connection: DBusConnection, _ member: String, to destination: String? = nil) throws {
        try connection.emit(
            path: path, interface: interface, member: member, arguments: [.string(member)], destination: destination)
    }

    @Test("Broadcast and unicast signals arrive")
    func broadcastAndUnicast() async throws {
        try await withPair { server, client in
            let stream = try await client.signals(matching: DBusMatch(sender: server.uniqueName, interface: interface))
            try Self.emit(server, "One")
            try Self.emit(server, "Two", to: client.uniqueName)
            var signals = stream.makeAsyncIterator()
            let first = try #require(await signals.next())
            #expect(
                first
                    == DBusSignal(
                        sender: server.uniqueName, path: path, interface: interface, member: "One",
                        arguments: [.string("One")]))
            #expect(await signals.next()?.member == "Two")
        }
    }

    @Test("A closure gets the signals in their order, until its subscription is cancelled or dropped")
    func subscriptionsEnd() async throws {
        try await withPair { server, client in
            let match = DBusMatch(sender: server.uniqueName, interface: interface)
            let (members, sink) = AsyncStream.makeStream(of: String.self)
            let kept = try await client.onSignal(matching: match) { sink.yield($0.member) }
            let cancelled = try await client.onSignal(matching: match) { sink.yield("cancelled \($0.member)") }
            cancelled.cancel()
            _ = try await client.onSignal(matching: match) { sink.yield("dropped \($0.member)") }
            await client.respond()
            try Self.emit(server, "One")
            try Self.emit(server, "Two")
            var signals = members.makeAsyncIterator()
            #expect(await signals.next() == "One")
            #expect(await signals.next() == "Two")
            kept.cancel()
            await client.respond()
            sink.finish()
            #expect(await signals.next() == nil)
        }
    }

    @Test("Each part of a match rule is checked")
    func rulesAreApplied() async throws {
        try await withPair { server, client in
            let rules = [
                DBusMatch(path: "/other"), DBusMatch(pathNamespace: "/org/baton"), DBusMatch(interface: "a.b"),
                DBusMatch(member: "Other"), DBusMatch(interface: interface, arguments: [0: "other"]),
                DBusMatch(interface: interface, arguments: [1: "Wanted"]),
            ]
            var unwanted: [AsyncStream<DBusSignal>] = []
            for rule in rules { unwanted.append(try await client.signals(matching: rule)) }
            let wanted = try await client.signals(
                matching: DBusMatch(
                    pathNamespace: "/org/batonproject", interface: interface, member: "Wanted",
                    arguments: [0: "Wanted"]))
            // Address the signal to the client, so that the bus delivers it regardless of match
            // rules.
            try Self.emit(server, "Wanted", to: client.uniqueName)
            var signals = wanted.makeAsyncIterator()
            #expect(await signals.next()?.member == "Wanted")
            client.close()
            for stream in unwanted {
                for await signal in stream where signal.interface == interface { Issue.record("\(signal)") }
            }
        }
    }

    @Test("A peer that does not own a name cannot send signals in its name")
    func signalsOfOthersAreNotTakenForTheOwners() async throws {
        try await withPair { server, client in
            let name = "org.batonproject.Test"
            let stream = try await client.signals(matching: DBusMatch(sender: name, interface: interface))
            try Self.emit(server, "Forged", to: client.uniqueName)
            #expect(try await server.requestName(name) == .primaryOwner)
            try Self.emit(server, "Genuine", to: client.uniqueName)
            try await server.releaseName(name)
            try Self.emit(server, "ForgedAgain", to: client.uniqueName)
            #expect(try await client.requestName(name) == .primaryOwner)
            try Self.emit(client, "New")
            var signals = stream.makeAsyncIterator()
            #expect(await signals.next()?.member == "Genuine")
            #expect(await signals.next()?.member == "New")
        }
    }

    @Test("A stream that is not read keeps only the newest signals")
    func unreadSignalsAreBounded() async throws {
        try await withPair { server, client in
            try server.export(DBusObject(interfaces: [echo]), at: path)
            let stream = try await client.signals(
                matching: DBusMatch(sender: server.uniqueName, interface: interface), buffer: 3)
            for number in 0..<10 { try Self.emit(server, "Number\(number)") }
            _ = try await client.echo(.byte(1), at: server)
            client.close()
            var members: [String] = []
            for await signal in stream { members.append(signal.member) }
            #expect(members == ["Number7", "Number8", "Number9"])
        }
    }

    @Test("A quote in a rule is part of its value, even with a mark after it")
    func quotedValue() async throws {
        try await withPair { server, client in
            let value = "it's '\u{301},path='/nowhere"
            let stream = try await client.signals(
                matching: DBusMatch(sender: server.uniqueName, interface: interface, arguments: [0: value]))
            try server.emit(path: path, interface: interface, member: "One", arguments: [.string(value)])
            var signals = stream.makeAsyncIterator()
            #expect(await signals.next()?.arguments == [.string(value)])
        }
    }

    @Test("A match rule is removed with its stream, and equal rules do not affect each other")
    func rulesAreWithdrawn() async throws {
        try await withPair { server, client in
            let rule = DBusMatch(sender: server.uniqueName, interface: interface, member: "It's")
            #expect(await errorName { _ = try await client.signals(matching: rule) } != "no error")
            let kept = try await client.signals(matching: DBusMatch(interface: interface))
            do {
                let dropped = try await client.signals(matching: DBusMatch(interface: interface))
                withExtendedLifetime(dropped) {}
            }
            // Make a round trip, after which the removal of the rule has taken effect.
            _ = try await client.owner(of: server.uniqueName)
            try Self.emit(server, "Kept")
            var signals = kept.makeAsyncIterator()
            #expect(await signals.next()?.member == "Kept")
        }
    }
}
