// SPDX-License-Identifier: Apache-2.0

import BatonTesting
import DBus
import Foundation
import Testing

@Suite(.timeLimit(.minutes(5)))
struct NameTests {
    private let name = "org.batonproject.Test"

    @Test func aNameHasOneOwner() async throws {
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

    @Test("changes of a name are seen, and a peer that leaves the bus")
    func changesAreSeen() async throws {
        try await withPair { server, client in
            var changes = try await client.nameOwnerChanges(of: name).makeAsyncIterator()
            var departures = try await client.departures().makeAsyncIterator()
            _ = try await server.requestName(name)
            let first = try #require(await changes.next())
            #expect(first.name == name && first.oldOwner == nil && first.newOwner == server.uniqueName)
            server.close()
            let second = try #require(await changes.next())
            #expect(second.name == name && second.oldOwner == server.uniqueName && second.newOwner == nil)
            var left: Set<String> = []
            while left.count < 2, let departure = await departures.next() { left.insert(departure.name) }
            #expect(left == [name, server.uniqueName])
        }
    }

    @Test func credentialsAreTheBusesOwn() async throws {
        try await withPair { server, client in
            let credentials = try await client.credentials(of: server.uniqueName)
            #expect(credentials.userID == getuid())
            #expect(credentials.processID == UInt32(ProcessInfo.processInfo.processIdentifier))
            #expect(await errorName { _ = try await client.credentials(of: ":1.999") } == DBusError.nameHasNoOwner)
        }
    }
}
