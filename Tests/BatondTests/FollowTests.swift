// SPDX-License-Identifier: GPL-3.0-or-later

import BatonBus
import BatonTesting
import Foundation
import Testing

/// Programs that follow the status and the settings of a real daemon.
@Suite(.timeLimit(.minutes(2))) struct FollowTests {
    /// Waits for a value that fulfils a condition.
    private func next<Value: Sendable>(
        _ values: inout AsyncStream<Value>.Iterator, where isWanted: (Value) -> Bool
    ) async throws -> Value {
        while true {
            let value = try #require(await values.next())
            if isWanted(value) { return value }
        }
    }

    private func withDaemon(_ body: (BatonBusClient, URL) async throws -> Void) async throws {
        try await RunningDaemon.withRoot { root in
            let daemon = try await RunningDaemon.start(in: root)
            #expect(await daemon.isServing())
            let client = try await BatonBusClient.connect(address: daemon.bus.address)
            try await body(client, root)
            client.close()
            _ = await daemon.end()
        }
    }

    @Test("The status follows the circle, the name, a pause and what is offered")
    func status() async throws {
        try await withDaemon { client, _ in
            var statuses = try await client.statuses().makeAsyncIterator()
            _ = try await next(&statuses) { $0.circle == nil }
            _ = try await client.createCircle(name: "desk")
            let alone = try await next(&statuses) { $0.circle != nil && $0.members.count == 1 }
            #expect(alone.counts.isEmpty && alone.members[0].name == "desk")
            try await client.rename(to: "couch")
            _ = try await next(&statuses) { $0.deviceName == "couch" && $0.members.first?.name == "couch" }
            try await client.pause()
            _ = try await next(&statuses) { $0.isPaused }
            try await client.resume()
            _ = try await next(&statuses) { !$0.isPaused }
        }
    }

    @Test("The settings follow the file, and the file the settings")
    func settings() async throws {
        try await withDaemon { client, root in
            let file = root.appending(path: ".config/baton/baton.conf")
            var settings = try await client.settings().makeAsyncIterator()
            let usual = try await next(&settings) { _ in true }
            #expect(usual.values["notifications"] == "on" && usual.rules.isEmpty)
            try await client.set("notifications", to: "off")
            _ = try await next(&settings) { $0.values["notifications"] == "off" }
            #expect(try String(contentsOf: file, encoding: .utf8) == "notifications = off\n")
            try Data("# mine\nhistory = 1d\nrule = never type=a\n".utf8).write(to: file, options: .atomic)
            let changed = try await next(&settings) { $0.values["history"] == "1440m" }
            #expect(changed.values["notifications"] == "on" && changed.rules == ["never type=a"])
            await #expect(throws: BatonError.self) { try await client.set("rule", to: "ask") }
            await #expect(throws: BatonError.self) { try await client.set("notifications", to: "perhaps") }
            #expect(try String(contentsOf: file, encoding: .utf8).hasPrefix("# mine\nhistory = 1d\n"))
        }
    }

    @Test("So many programs follow the status at most, and one that leaves makes room")
    func manyFollowers() async throws {
        try await RunningDaemon.withRoot { root in
            let daemon = try await RunningDaemon.start(in: root)
            #expect(await daemon.isServing())
            var clients: [BatonBusClient] = []
            for _ in 0..<32 {
                let client = try await BatonBusClient.connect(address: daemon.bus.address)
                _ = try await client.statuses()
                clients.append(client)
            }
            let late = try await BatonBusClient.connect(address: daemon.bus.address)
            await #expect(throws: BatonError.self) { _ = try await late.statuses() }
            clients.removeLast().close()
            try await eventually("room for another") { (try? await late.statuses()) != nil }
            for client in clients + [late] { client.close() }
            _ = await daemon.end()
        }
    }
}
