// SPDX-License-Identifier: Apache-2.0

import DBus
import Synchronization

/// What a board has yet to hear of: what is to be on the screen, and what the notification server
/// says. However long the board waits for a server, and however much is told meanwhile, it holds
/// one notification for each key and a few signals.
struct NotificationInbox {
    /// A notification that is to be on the screen.
    struct Wish: Sendable {
        var notification: Notification
        /// The higher, the later it was wanted; another one where it was removed in between.
        let number: UInt64
        /// The key of the notification whose place on the screen it takes.
        var replaced: String?
    }

    /// What the server says of a notification.
    struct Signal: Sendable {
        let sender: String
        let member: String
        let id: UInt32
        /// The action, or the token.
        let text: String?
    }

    /// What has been said since it was asked last.
    struct News: Sendable {
        /// The newest, in their order.
        var signals: [Signal] = []
        /// The server's connection, where it has changed: nil within when there is none.
        var owner: String??
        /// Whether the session wants quiet may have changed.
        var mayBeInhibited = false
    }

    static let maximumWishes = NotificationBoard.maximumEntries
    static let maximumSignals = 64
    /// The most bytes of an action or a token.
    static let maximumText = 4_096

    private(set) var wishes: [String: Wish] = [:]
    private var news = News()
    private var lastNumber: UInt64 = 0

    /// How much there is; for tests.
    var count: Int { wishes.count + news.signals.count }

    /// Wants a notification, in place of the one with the same key.
    ///
    /// - Parameter replaced: The key of one that is not wanted any more, and whose place it takes:
    ///   another one's, or its own, so that it is new although that was dismissed.
    /// - Returns: Whether there is room for it.
    mutating func show(_ notification: Notification, key: String, replacing replaced: String? = nil) -> Bool {
        // The board may not have given that one its own place yet.
        let place = replaced.map { wishes[$0]?.replaced ?? $0 }
        if let replaced { wishes[replaced] = nil }
        if wishes[key] != nil {
            wishes[key]?.notification = notification
            return true
        }
        guard wishes.count < Self.maximumWishes else { return false }
        lastNumber += 1
        wishes[key] = Wish(notification: notification, number: lastNumber, replaced: place)
        return true
    }

    /// A notification has taken its place.
    mutating func placed(_ key: String, _ number: UInt64) {
        if wishes[key]?.number == number { wishes[key]?.replaced = nil }
    }

    /// Wants it no more.
    mutating func remove(key: String) { wishes[key] = nil }

    /// Forgets a notification that has been and gone, unless there is something new under its key.
    mutating func forget(_ notification: Notification, key: String) {
        if wishes[key]?.notification == notification { wishes[key] = nil }
    }

    mutating func received(_ signal: DBusSignal) {
        guard signal.interface == NotificationBoard.name else {
            news.mayBeInhibited = true
            return
        }
        guard ["ActivationToken", "ActionInvoked", "NotificationClosed"].contains(signal.member),
            let id = signal.arguments.first?.integer(as: UInt32.self)
        else { return }
        let text = signal.arguments.last?.stringValue
        guard (text?.utf8.count ?? 0) <= Self.maximumText else { return }
        if news.signals.count == Self.maximumSignals { news.signals.removeFirst() }
        news.signals.append(Signal(sender: signal.sender, member: signal.member, id: id, text: text))
    }

    mutating func serverChanged(_ owner: String?) { news.owner = .some(owner) }

    /// Takes what has been said.
    mutating func takeNews() -> News {
        defer { news = News() }
        return news
    }
}

extension NotificationBoard {
    /// The inbox, for any thread; it wakes the board, once for whatever comes while that is busy.
    final class Inbox: Sendable {
        let wakeUps: AsyncStream<Void>
        private let wake: AsyncStream<Void>.Continuation
        private let content = Mutex(NotificationInbox())

        init() { (wakeUps, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

        var wishes: [String: NotificationInbox.Wish] { content.withLock { $0.wishes } }
        /// How much there is; for tests.
        var count: Int { content.withLock { $0.count } }

        /// Puts something in, which the board is woken for.
        func put<Result: Sendable>(_ body: (inout NotificationInbox) -> Result) -> Result {
            defer { wakeUp() }
            return content.withLock { body(&$0) }
        }

        func takeNews() -> NotificationInbox.News { content.withLock { $0.takeNews() } }

        func forget(_ notification: Notification, key: String) {
            content.withLock { $0.forget(notification, key: key) }
        }

        func placed(_ key: String, _ number: UInt64) { content.withLock { $0.placed(key, number) } }

        func wakeUp() { wake.yield() }
    }
}
