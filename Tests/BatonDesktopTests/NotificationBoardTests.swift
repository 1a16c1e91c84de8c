// SPDX-License-Identifier: Apache-2.0

import BatonTesting
import DBus
import Logging
import Testing

@testable import BatonDesktop

@Suite(.timeLimit(.minutes(5))) struct NotificationBoardTests {
    /// A board that runs, on a bus where there may be a server.
    private func withBoard(
        _ body: @Sendable (NotificationBoard, _ bus: String) async throws -> Void
    ) async throws {
        try await PrivateBus.with { bus in
            let connection = try await DBusConnection.open(address: bus.address)
            let board = NotificationBoard(bus: connection, logger: Logger(label: "test"))
            let running = Task { await board.run() }
            try await body(board, bus.address)
            running.cancel()
            await running.value
            connection.close()
        }
    }

    private let letter = Notification(
        summary: "Letters from desk", body: "To <b>Ada</b> & co", icon: "letters", application: "org.example.Letters",
        actions: [.init("default", "Continue")], isLasting: true)

    @Test func notificationIsReplacedAndNotRepeatedAndWithdrawn() async throws {
        try await withBoard { board, bus in
            let server = try await FakeNotificationServer(bus: bus)
            board.show(letter, key: "a")
            let first = try #require(await server.nextShown())
            #expect(first.summary == "Letters from desk")
            #expect(first.icon == "letters")
            #expect(first.actions == ["default", "Continue"])
            #expect(first.replaced == 0)
            // The same again is nothing new; the next that comes is the change.
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

    @Test(arguments: [
        (["body", "body-markup"], "To &lt;b&gt;Ada&lt;/b&gt; &amp; co"), (["body"], "To <b>Ada</b> & co"),
    ])
    func titleOfAnotherDeviceIsNoMarkup(capabilities: [String], body: String) async throws {
        try await withBoard { board, bus in
            let server = try await FakeNotificationServer(bus: bus, capabilities: capabilities)
            board.show(letter, key: "a")
            #expect(await server.nextShown()?.body == body)
        }
    }

    @Test func textThatIsTooLongOrCannotBeSeenIsCut() async throws {
        try await withBoard { board, bus in
            let server = try await FakeNotificationServer(bus: bus)
            board.show(Notification(summary: "a\u{202E}b\nc" + String(repeating: "x", count: 1_000)), key: "a")
            let shown = try #require(await server.nextShown())
            #expect(shown.summary.hasPrefix("abcx"))
            #expect(shown.summary.count == 200)
        }
    }

    @Test func clickIsToldWithTheTokenThatCameBefore() async throws {
        try await withBoard { board, bus in
            let server = try await FakeNotificationServer(bus: bus)
            board.show(letter, key: "a")
            let id = try #require(await server.nextShown()).id
            try server.choose("unknown", of: id)
            try server.choose("default", of: id + 7)
            try server.choose("default", of: id, token: "token-1")
            for await event in board.events {
                #expect(event == .chosen(key: "a", action: "default", activationToken: "token-1"))
                break
            }
        }
    }

    @Test func whatTheUserDismissedStaysAwayUntilItIsRemoved() async throws {
        try await withBoard { board, bus in
            let server = try await FakeNotificationServer(bus: bus)
            board.show(letter, key: "a")
            try server.dismiss(try #require(await server.nextShown()).id)
            while await board.entries["a"]?.isDismissed != true { await Task.yield() }
            var changed = letter
            changed.summary = "Letters from sofa"
            board.show(changed, key: "a")
            board.remove(key: "a")
            board.show(letter, key: "a")
            #expect(await server.nextShown()?.summary == "Letters from desk")
        }
    }

    @Test func whatDoesNotLastIsForgottenOnceItHasGone() async throws {
        try await withBoard { board, bus in
            let server = try await FakeNotificationServer(bus: bus)
            let news = Notification(summary: "news")
            board.show(news, key: "a")
            try server.dismiss(try #require(await server.nextShown()).id)
            for await event in board.events {
                #expect(event == .closed(key: "a"))
                break
            }
            #expect(await board.entries.isEmpty)
            board.show(news, key: "a")
            #expect(await server.nextShown()?.summary == "news")
        }
    }

    @Test func serverThatComesLaterShowsWhatIsThere() async throws {
        try await withBoard { board, bus in
            board.show(letter, key: "a")
            let server = try await FakeNotificationServer(bus: bus)
            #expect(await server.nextShown()?.summary == "Letters from desk")
            // And so does one that comes in its place.
            server.connection.close()
            let next = try await FakeNotificationServer(bus: bus)
            #expect(await next.nextShown()?.replaced == 0)
        }
    }

    @Test func sessionThatHasAskedForQuietIsNotDisturbed() async throws {
        try await withBoard { board, bus in
            let server = try await FakeNotificationServer(bus: bus)
            board.show(Notification(summary: "marker"), key: "m")
            #expect(await server.nextShown()?.summary == "marker")
            try server.inhibit(true)
            while await !board.isInhibited { await Task.yield() }
            board.show(letter, key: "a")
            board.remove(key: "m")
            #expect(await server.next() == .closed(1))
            try server.inhibit(false)
            #expect(await server.nextShown()?.summary == "Letters from desk")
        }
    }

    @Test func notificationsBeyondTheLimitAreNotShown() async throws {
        try await withBoard { board, bus in
            let server = try await FakeNotificationServer(bus: bus)
            // What is shown alone has the first number, and the board knows the server by then.
            board.show(Notification(summary: "first"), key: "first")
            #expect(await server.nextShown()?.summary == "first")
            for number in 0..<40 { board.show(Notification(summary: "\(number)"), key: "\(number)") }
            board.remove(key: "first")
            #expect(await server.nextClosed() == 1)
            board.show(Notification(summary: "after"), key: "after")
            #expect(await server.nextShown()?.summary == "after")
        }
    }
}
