// SPDX-License-Identifier: Apache-2.0

import BatonBus
import BatonTesting
import DBus
import DesktopEntries
import Foundation
import Logging
import Testing

@testable import BatonDesktop

@Suite(.timeLimit(.minutes(5))) struct NotificationBoardTests {
    /// Runs a board on a bus that may have a server.
    private func withBoard(_ body: @Sendable (NotificationBoard, _ bus: String) async throws -> Void) async throws {
        try await withBoard { board, bus, _ in try await body(board, bus) }
    }

    /// Runs a board and passes its connection as well.
    private func withBoard(
        _ body: @Sendable (NotificationBoard, _ bus: String, DBusConnection) async throws -> Void
    ) async throws {
        try await PrivateBus.with { bus in
            let connection = try await DBusConnection.open(address: bus.address)
            let board = NotificationBoard(bus: connection, logger: Logger(label: "test"))
            let running = Task { await board.run() }
            try await body(board, bus.address, connection)
            running.cancel()
            await running.value
            connection.close()
        }
    }

    /// Runs a board on a bus that has a server.
    private func withServer(
        _ body: @Sendable (NotificationBoard, FakeNotificationServer) async throws -> Void
    ) async throws {
        try await withBoard { board, bus in try await body(board, try await FakeNotificationServer(bus: bus)) }
    }

    private func nextEvent(of board: NotificationBoard) async -> NotificationBoard.Event? {
        for await event in board.events { return event }
        return nil
    }

    private let letter = BatonDesktop.Notification(
        summary: "Letters from desk", body: "To <b>Ada</b> & co", icon: "letters", application: "org.example.Letters",
        actions: [.init("default", "Continue")], stay: .untilRemoved)

    @Test("A changed notification is replaced on the screen, and a removed one is closed")
    func replacedNotRepeated() async throws {
        try await withServer { board, server in
            board.show(letter, key: "a")
            let first = try #require(await server.nextShown())
            #expect(first.summary == "Letters from desk")
            #expect(first.icon == "letters")
            #expect(first.actions == ["default", "Continue"])
            #expect(first.replaced == 0)
            // Showing the same notification again has no effect, so the next event is the change.
            board.show(letter, key: "a")
            var changed = letter
            changed.summary = "Letters from sofa"
            board.show(changed, key: "a")
            let second = try #require(await server.nextShown())
            #expect(second.summary == "Letters from sofa")
            #expect(second.id == first.id)
            board.remove(key: "a")
            #expect(await server.next() == .closed(first.id))
        }
    }

    @Test("A notification can replace another on the screen, and a new one appears even if the last was dismissed")
    func takesAPlace() async throws {
        try await withServer { board, server in
            board.show(letter, key: "a")
            let first = try #require(await server.nextShown())
            var other = letter
            for key in ["b", "a", "b"] {
                other.summary += "!"
                board.show(other, key: key, replacing: key == "a" ? "b" : "a")
                let shown = try #require(await server.nextShown())
                #expect(shown.replaced == first.id && shown.id == first.id && shown.summary == other.summary)
            }
            // A replaced notification no longer exists, so it cannot be removed.
            board.remove(key: "a")
            try server.dismiss(first.id)
            for await event in board.events where event == .dismissed(key: "b") { break }
            board.show(other, key: "b", replacing: "b")
            let again = try #require(await server.nextShown())
            #expect(again.replaced == 0)
            board.remove(key: "b")
            #expect(await server.next() == .closed(again.id))
        }
    }

    @Test(
        "A title from another device does not act as markup",
        arguments: [
            (["actions", "body", "body-markup"], "To &lt;b&gt;Ada&lt;/b&gt; &amp; co"),
            (["body"], "To <b>Ada</b> & co"),
        ])
    func titleIsNoMarkup(capabilities: [String], body: String) async throws {
        try await withBoard { board, bus in
            let server = try await FakeNotificationServer(bus: bus, capabilities: capabilities)
            board.show(letter, key: "a")
            #expect(await server.nextShown()?.body == body)
        }
    }

    @Test("If the server supports no actions, no text asks for a click, and no notification waits for one")
    func withoutActions() async throws {
        try await withBoard { board, bus in
            let server = try await FakeNotificationServer(bus: bus, capabilities: ["body"])
            let page = OfferSummary(
                offer: "o", device: "0a1b2c3d", deviceName: "desk", type: "NSUserActivityTypeBrowsingWeb",
                hasWebpage: true)
            let style = NotificationStyle()
            board.show(try #require(style.notification(of: page, app: nil)), key: "page")
            let shown = try #require(await server.nextShown())
            #expect(shown.summary == "A web page from \"desk\"" && shown.body.isEmpty)
            #expect(shown.actions.isEmpty && shown.expires == -1)
            board.show(FetchQuestion.notification(of: "desk", count: 10, hasWindow: true), key: "fetches")
            let question = try #require(await server.nextShown())
            #expect(question.body.hasSuffix("If that is not you, open Baton and refuse it."))
            #expect(question.actions.isEmpty && question.expires == -1)
            let app = SandboxedApp(.flatpak, "org.example.Notes")
            let claim = ActivityClaim(types: ["org.example.note"])
            board.show(GrantNotifications.notification(of: claim, app, hasWindow: false), key: "grant")
            let grant = try #require(await server.nextShown())
            #expect(grant.body.hasSuffix("Answer it with \"baton grants allow\" or \"baton grants refuse\"."))
            #expect(grant.actions.isEmpty && grant.expires == -1)
            // This notification is too long to be shown completely.
            let many = ActivityClaim(types: Set((1...20).map { "org.example.note\($0)" }))
            board.show(GrantNotifications.notification(of: many, app, hasWindow: false), key: "grant of many")
            let whole = try #require(await server.nextShown())
            #expect(whole.body.hasSuffix("\"baton grants\" lists them."))
            #expect(whole.actions.isEmpty && whole.expires == -1)
            // A progress notification disappears at the end.
            let coming = ComingActivity(type: "org.example.note", offer: "o", deviceName: "desk", title: nil)
            board.show(try #require(style.notification(of: .progress(coming, nil))), key: "progress")
            #expect(await server.nextShown()?.expires == 0)
        }
    }

    @Test("Text that is too long is cut, and invisible characters are removed")
    func overlongAndUnseenText() async throws {
        try await withServer { board, server in
            board.show(
                BatonDesktop.Notification(summary: "a\u{202E}b\nc" + String(repeating: "x", count: 1_000)), key: "a")
            let shown = try #require(await server.nextShown())
            #expect(shown.summary.hasPrefix("abcx"))
            #expect(shown.summary.count == 200)
        }
    }

    @Test("A name that is written from right to left does not reorder the text around it")
    func isolatedNames() async throws {
        try await withServer { board, server in
            let offer = OfferSummary(
                offer: "o", device: "0a1b2c3d", deviceName: "דנה", type: "NSUserActivityTypeBrowsingWeb",
                hasWebpage: true)
            board.show(try #require(NotificationStyle().notification(of: offer, app: nil)), key: "a")
            let shown = try #require(await server.nextShown())
            #expect(shown.summary == "A web page from \"\u{2068}דנה\u{2069}\"")
            board.show(FetchQuestion.notification(of: "דנה\u{2069}", count: 2, hasWindow: true), key: "b")
            let question = try #require(await server.nextShown())
            #expect(question.body.hasPrefix("\"\u{2068}דנה\u{2069}\" has asked 2 times,"))
        }
    }

    @Test("The body of a notification keeps its line breaks, and its summary does not")
    func linesOfBody() async throws {
        try await withServer { board, server in
            board.show(BatonDesktop.Notification(summary: "a\nb", body: "Diary\u{202E}\nIt opens here."), key: "a")
            let shown = try #require(await server.nextShown())
            #expect(shown.summary == "ab" && shown.body == "Diary\nIt opens here.")
        }
    }

    @Test("A click is reported with the activation token that came before it")
    func clickWithToken() async throws {
        try await withServer { board, server in
            board.show(letter, key: "a")
            let id = try #require(await server.nextShown()).id
            try server.choose("unknown", of: id)
            try server.choose("default", of: id + 7)
            try server.choose("default", of: id, token: "token-1")
            #expect(await nextEvent(of: board) == .chosen(key: "a", action: "default", activationToken: "token-1"))
        }
    }

    @Test("A dismissed notification does not come back, unless it is removed and shown again")
    func dismissedStaysAway() async throws {
        try await withServer { board, server in
            board.show(letter, key: "a")
            try server.dismiss(try #require(await server.nextShown()).id)
            #expect(await nextEvent(of: board) == .dismissed(key: "a"))
            #expect(await board.entries["a"]?.isDismissed == true)
            var changed = letter
            changed.summary = "Letters from sofa"
            board.show(changed, key: "a")
            board.remove(key: "a")
            board.show(letter, key: "a")
            #expect(await server.nextShown()?.summary == "Letters from desk")
        }
    }

    @Test("A notification that does not last is forgotten after it has closed")
    func goneIsForgotten() async throws {
        try await withServer { board, server in
            let news = Notification(summary: "news")
            board.show(news, key: "a")
            try server.dismiss(try #require(await server.nextShown()).id)
            #expect(await nextEvent(of: board) == .closed(key: "a"))
            #expect(await board.entries.isEmpty)
            board.show(news, key: "a")
            #expect(await server.nextShown()?.summary == "news")
        }
    }

    @Test("A server that starts later shows the present notifications")
    func serverComesLater() async throws {
        try await withBoard { board, bus in
            board.show(letter, key: "a")
            let server = try await FakeNotificationServer(bus: bus)
            #expect(await server.nextShown()?.summary == "Letters from desk")
            // A server that replaces this one shows the present notifications as well.
            server.connection.close()
            for await _ in server.connection.disconnected {}
            let next = try await FakeNotificationServer(bus: bus)
            #expect(await next.nextShown()?.replaced == 0)
        }
    }

    @Test("No pop-up appears while the session is set to \"do not disturb\"")
    func quietSession() async throws {
        try await withServer { board, server in
            board.show(BatonDesktop.Notification(summary: "marker"), key: "m")
            #expect(await server.nextShown()?.summary == "marker")
            try server.inhibit(true)
            try await eventually("it is inhibited") { await board.isInhibited }
            board.show(letter, key: "a")
            board.remove(key: "m")
            #expect(await server.next() == .closed(1))
            try server.inhibit(false)
            #expect(await server.nextShown()?.summary == "Letters from desk")
        }
    }

    @Test("Changes do not restart a server that fails at once")
    func serverFailsAtOnce() async throws {
        let root = URL(filePath: "/tmp/bno-" + String(UInt64.random(in: 0...UInt64.max), radix: 36))
        let (services, starts) = (root.appending(path: "dbus-1/services"), root.appending(path: "starts"))
        try FileManager.default.createDirectory(at: services, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: root) }
        try Data("echo start >>'\(starts.path)'\nexit 1\n".utf8).write(to: root.appending(path: "server"))
        try Data(
            "[D-BUS Service]\nName=\(FakeNotificationServer.name)\nExec=/bin/sh \(root.path)/server\n".utf8
        ).write(to: services.appending(path: "\(FakeNotificationServer.name).service"))
        let bus = try await PrivateBus.start(dataHome: root)
        let connection = try await DBusConnection.open(address: bus.address)
        let board = NotificationBoard(bus: connection, logger: Logger(label: "test"))
        // The failed start is noticed only when the server is started.
        #expect(await board.finding == nil)
        let running = Task { await board.run() }
        var changed = letter
        for number in 0..<20 {
            changed.summary = "Letters \(number)"
            board.show(changed, key: "a")
        }
        board.show(BatonDesktop.Notification(summary: "news"), key: "n")
        // A notification that does not last is shown at once or never.
        for await event in board.events where event == .closed(key: "n") { break }
        #expect(await board.finding != nil)
        #expect(try String(contentsOf: starts, encoding: .utf8) == "start\n")
        // A server that starts by itself shows the present notifications.
        let server = try await FakeNotificationServer(bus: bus.address)
        #expect(await server.nextShown()?.summary == "Letters 19")
        running.cancel()
        await running.value
        connection.close()
        await bus.stop()
    }

    @Test("Notifications beyond the limit are not shown")
    func beyondTheLimit() async throws {
        try await withServer { board, server in
            // The first notification gets the number 1. Once it is shown, the board knows the
            // server.
            board.show(BatonDesktop.Notification(summary: "first"), key: "first")
            #expect(await server.nextShown()?.summary == "first")
            let (places, asked) = (NotificationBoard.maximumEntries, NotificationBoard.maximumEntries + 8)
            for number in 0..<asked { board.show(BatonDesktop.Notification(summary: "\(number)"), key: "\(number)") }
            board.remove(key: "first")
            #expect(await server.nextClosed() == 1)
            board.show(BatonDesktop.Notification(summary: "after"), key: "after")
            #expect(await server.nextShown { $0.summary == "after" } != nil)
            #expect(await board.entries.count == places)
            // Each notification beyond the limit is reported as closed.
            var closed = board.events.makeAsyncIterator()
            for number in places - 1..<asked { #expect(await closed.next() == .closed(key: "\(number)")) }
        }
    }

    // MARK: - Bounded memory

    /// Returns a task that ends when the returned closure is called.
    private func held() -> (Task<Void, Never>, @Sendable () -> Void) {
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        return (Task { for await _ in ends { return } }, { end.yield() })
    }

    @Test("While the server hangs, only the last change of each notification is kept")
    func toldWhileServerHangs() async throws {
        try await withServer { board, server in
            let (hold, release) = held()
            server.hang(until: hold)
            await board.wait(.seconds(200))
            board.show(BatonDesktop.Notification(summary: "first", stay: .untilRemoved), key: "first")
            try await server.callCount.wait("a call") { $0 > 0 ? () : nil }
            var changed = letter
            for number in 0..<100_000 {
                changed.summary = "\(number)"
                board.show(changed, key: "\(number % 10)")
                board.show(changed, key: "gone \(number)")
                board.remove(key: "gone \(number)")
            }
            #expect(board.inbox.count <= 11)
            release()
            for expected in ["first"] + (99_990..<100_000).map({ "\($0)" }) {
                #expect(await server.nextShown()?.summary == expected)
            }
        }
    }

    @Test("The number and size of a server's events are limited")
    func boundsOfAServersWords() async throws {
        try await withBoard { board, bus, connection in
            let server = try await FakeNotificationServer(bus: bus)
            let (hold, release) = held()
            server.hang(until: hold)
            await board.wait(.seconds(200))
            board.show(letter, key: "a")
            try await server.callCount.wait("a call") { $0 > 0 ? () : nil }
            for _ in 0..<20_000 { try server.give("token", to: 1) }
            // A token that is too long is ignored.
            try server.give(String(repeating: "x", count: 100_000), to: 1)
            try server.choose("default", of: 1)
            // The reply comes after all earlier events.
            _ = try await server.connection.call(
                destination: connection.uniqueName, path: "/", interface: "org.freedesktop.DBus.Peer", member: "Ping")
            #expect(board.inbox.count == 1 + NotificationInbox.maximumSignals)
            release()
            #expect(await nextEvent(of: board) == .chosen(key: "a", action: "default", activationToken: "token"))
        }
    }

    @Test("Removed notifications leave no data behind")
    func nothingIsLeftBehind() async throws {
        try await withServer { board, server in
            for number in 0..<3_000 {
                board.show(letter, key: "\(number)")
                let id = try #require(await server.nextShown()).id
                try server.give("token", to: id)
                board.remove(key: "\(number)")
                #expect(await server.nextClosed() == id)
            }
            try await eventually("no entry is left") { await board.entries.isEmpty }
            #expect(board.inbox.wishes.isEmpty)
        }
    }

    @Test("A server that does not answer is not called for a while")
    func unansweringServer() async throws {
        try await withBoard { board, bus in
            let server = try await FakeNotificationServer(bus: bus)
            let (hold, release) = held()
            server.hang(until: hold)
            await board.wait(.milliseconds(50))
            var changed = letter
            board.show(changed, key: "a")
            try await eventually("the server is left alone") { await board.silentUntil != nil }
            for number in 0..<20 {
                changed.summary = "\(number)"
                board.show(changed, key: "a")
                try await eventually("the change is kept") { await board.entries["a"]?.notification == changed }
            }
            #expect(server.callCount.value <= 1)
            // Another server that replaces it is called at once.
            await board.wait(.seconds(200))
            server.connection.close()
            for await _ in server.connection.disconnected {}
            let next = try await FakeNotificationServer(bus: bus)
            #expect(await next.nextShown()?.summary == "19")
            #expect(await board.silentUntil == nil)
            release()
        }
    }

    @Test("A server that hangs does not delay the end of the board")
    func hangingServerAtTheEnd() async throws {
        let (hold, release) = held()
        try await withServer { board, server in
            for number in 0..<NotificationBoard.maximumEntries { board.show(letter, key: "\(number)") }
            for _ in 0..<NotificationBoard.maximumEntries { _ = await server.nextShown() }
            // The hanging server is still on the bus.
            server.hang(
                until: Task {
                    await hold.value
                    withExtendedLifetime(server) {}
                })
            await board.wait(.seconds(600))
        }
        release()
    }
}

extension NotificationBoard {
    /// Sets the time that an answer may take.
    fileprivate func wait(_ patience: Duration) { self.patience = patience }
}
