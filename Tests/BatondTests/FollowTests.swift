// SPDX-License-Identifier: GPL-3.0-or-later

import BatonBus
import BatonTesting
import Foundation
import Testing

@testable import batond

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
        try await withDirectory { root in
            let daemon = try await RunningDaemon.serving(in: root)
            let client = try await BatonBusClient.connect(address: daemon.bus.address)
            try await body(client, root)
            client.close()
            _ = await daemon.end()
        }
    }

    @Test("Each change of the circle, the name and the pause is reported in the status")
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

    @Test("A change of the file changes the settings, and a change of the settings changes the file")
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
            try await client.set("history", to: "")
            #expect(try String(contentsOf: file, encoding: .utf8) == "# mine\nrule = never type=a\n")
            try Data("# mine\nhistory = 1d\nrule = never type=a\n".utf8).write(to: file, options: .atomic)
            await #expect(throws: BatonError.self) { try await client.set("rule", to: "ask") }
            await #expect(throws: BatonError.self) { try await client.set("notifications", to: "perhaps") }
            #expect(try String(contentsOf: file, encoding: .utf8).hasPrefix("# mine\nhistory = 1d\n"))
        }
    }

    @Test("Each change of the installed apps' requests and of the user's answers is reported")
    func grants() async throws {
        try await withDaemon { client, root in
            var grants = try await client.grantChanges().makeAsyncIterator()
            _ = try await next(&grants) { $0.isEmpty }
            let directory = root.appending(path: ".local/share/applications")
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            let entry = """
                [Desktop Entry]
                Type=Application
                Name=Letters
                Exec=true
                X-Flatpak=org.example.Letters
                X-Baton-ActivityTypes=org.example.letter;

                """
            try Data(entry.utf8).write(to: directory.appending(path: "org.example.Letters.desktop"))
            let asked = try await next(&grants) { !$0.isEmpty }
            #expect(asked.map(\.state) == [.pending] && asked[0].types == ["org.example.letter"])
            try await client.allow(asked[0])
            _ = try await next(&grants) { $0.map(\.state) == [.granted] }
            try await client.refuse(asked[0])
            _ = try await next(&grants) { $0.map(\.state) == [.refused] }
        }
    }

    @Test("Each activity that leaves is reported in the history, and so is the deletion of the history")
    func history() async throws {
        try await RunningDaemon.withCircle { _ in
        } _: { desk, sofa in
            let client = try await BatonBusClient.connect(address: desk.bus.address)
            var history = try await client.historyChanges().makeAsyncIterator()
            _ = try await next(&history) { $0.isEmpty }
            async let published = desk.baton([
                "publish", "--type", "org.example.page", "--webpage", "https://example.org/", "--once",
            ])
            #expect(try await sofa.baton(["continue", "--type", "org.example.page", "--wait", "60"]).status == 0)
            #expect(try await published.status == 0)
            let left = try await next(&history) { !$0.isEmpty }
            #expect(left.map(\.type) == ["org.example.page"])
            try await client.forgetHistory()
            _ = try await next(&history) { $0.isEmpty }
            client.close()
        }
    }

    @Test("Each change of the shared folders and of the document copies is reported")
    func files() async throws {
        try await withDaemon { client, root in
            var files = try await client.userFiles().makeAsyncIterator()
            _ = try await next(&files) { $0 == UserFiles() }
            try await client.setFolder("Notes", to: "/home/me/Notes")
            _ = try await next(&files) { $0.folders == [SharedFolder(name: "Notes", path: "/home/me/Notes")] }
            let folder = root.appending(path: ".local/share/baton/documents/\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data("1".utf8).write(to: folder.appending(path: "report.pdf"))
            _ = try await next(&files) { $0.copies.map(\.name) == ["report.pdf"] }
            try FileManager.default.removeItem(at: folder.appending(path: "report.pdf"))
            _ = try await next(&files) { $0.copies.isEmpty }
            try Data("# none\n".utf8).write(to: root.appending(path: ".config/baton/folders"))
            _ = try await next(&files) { $0.folders.isEmpty }
        }
    }

    @Test("A laptop without a circle reports a pairing laptop nearby only while a program looks for one")
    func nearby() async throws {
        try await RunningDaemon.withTwo { desk, sofa in
            let pairing = try await BatonBusClient.connect(address: desk.bus.address)
            let steps = try await BatonBusClient.connect(address: desk.bus.address)
            var phases = try await steps.statuses().makeAsyncIterator()
            let pair = Task { try await pairing.pair() }
            _ = try await next(&phases) { $0.pairing == .searching }
            let looking = try await BatonBusClient.connect(address: sofa.bus.address)
            var statuses = try await looking.statuses().makeAsyncIterator()
            #expect(await statuses.next()?.pairingNearby == 0)
            try await looking.lookForPairing(true)
            _ = try await next(&statuses) { $0.pairingNearby == 1 }
            pairing.close()
            _ = try? await pair.value
            _ = try await next(&phases) { $0.pairing == nil }
            _ = try await next(&statuses) { $0.pairingNearby == 0 }
            for client in [looking, steps] { client.close() }
        }
    }

    @Test("The number of programs that follow the status is limited, and a program that leaves makes room")
    func manyFollowers() async throws {
        try await withDirectory { root in
            let daemon = try await RunningDaemon.serving(in: root)
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

/// Tests ``Followers`` alone.
@Suite(.timeLimit(.minutes(2))) struct FollowersTests {
    private let first = ChangeNotice()
    private let second = ChangeNotice()
    private let value = Watched(0)
    private let sent = Watched<[(value: Int, client: ClientID, at: ContinuousClock.Instant)]>([])
    private let early = ClientID(rawValue: ":1.1")
    private let late = ClientID(rawValue: ":1.2")

    private func withFollowers(_ body: (Followers<Int>) async throws -> Void) async throws {
        let followers = Followers(of: [first, second]) { [value] in
            value.value
        } send: { [sent] value, client in
            sent.change { $0.append((value, client, .now)) }
        }
        let running = Task { await followers.run() }
        try await body(followers)
        running.cancel()
    }

    @Test("Changes are reported at least 300 ms apart, even if another program begins to follow")
    func pace() async throws {
        try await withFollowers { followers in
            #expect(try await followers.follow(early) == 0)
            value.change { $0 = 1 }
            first.note()
            try await sent.wait("the first change") { $0.count == 1 ? () : nil }
            value.change { $0 = 2 }
            second.note()
            #expect(try await followers.follow(late) == 2)
            try await sent.wait("the second change") { $0.count == 2 ? () : nil }
            #expect(sent.value.map(\.value) == [1, 2] && sent.value.allSatisfy { $0.client == early })
            #expect(sent.value[1].at - sent.value[0].at >= .milliseconds(300))
        }
    }

    @Test("A program that has got a change also learns when the change is reversed")
    func back() async throws {
        try await withFollowers { followers in
            #expect(try await followers.follow(early) == 0)
            try await Task.sleep(for: Followers<Int>.pace)
            value.change { $0 = 1 }
            #expect(try await followers.follow(late) == 1)
            value.change { $0 = 0 }
            first.note()
            try await sent.wait("the change back") { $0.last?.value == 0 ? () : nil }
            #expect(sent.value.contains { $0.client == late && $0.value == 0 })
        }
    }
}
