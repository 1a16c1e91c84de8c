// SPDX-License-Identifier: Apache-2.0

import DBus
import Synchronization

/// The input that a board has not processed yet.
///
/// The input consists of the wanted notifications and the signals of the notification server.
///
/// The inbox holds one notification for each key and a few signals, however long the board waits
/// for a server.
struct NotificationInbox {
    struct Wish: Sendable {
        var notification: Notification
        /// Later requests have higher numbers. The number changes if the notification was removed
        /// in between.
        let number: UInt64
        /// The key of the notification whose place on the screen this one takes, or nil for none.
        var replaced: String?
    }

    /// A signal of the server about a notification.
    struct Signal: Sendable {
        let sender: String
        let member: String
        let id: UInt32
        /// The action or the activation token; nil in other signals.
        let text: String?
    }

    /// The server's reports since the last call of ``takeNews()``.
    struct News: Sendable {
        /// The newest signals, in their order.
        var signals: [Signal] = []
        /// The server's new connection if it has changed. The inner value is nil if there is no
        /// server now.
        var owner: String??
        /// Whether the session may have turned notifications on or off.
        var mayBeInhibited = false
    }

    static let maximumWishes = NotificationBoard.maximumEntries
    static let maximumSignals = 64
    /// The maximum length of an action or a token, in bytes.
    static let maximumText = 4_096

    private(set) var wishes: [String: Wish] = [:]
    private var news = News()
    private var lastNumber: UInt64 = 0

    /// The number of requests and signals, for tests.
    var count: Int { wishes.count + news.signals.count }

    /// Adds a wanted notification, in place of the one with the same key.
    ///
    /// - Parameter replaced: The key of a notification to remove, whose place the new one takes. If
    ///   this is the notification's own key, the notification counts as new, even if the user
    ///   dismissed the previous one.
    /// - Returns: Whether there is room for it.
    mutating func show(_ notification: Notification, key: String, replacing replaced: String? = nil) -> Bool {
        // The replaced notification may still wait for its own place.
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

    /// Records that a notification has taken its place on the screen.
    mutating func placed(_ key: String, _ number: UInt64) {
        if wishes[key]?.number == number { wishes[key]?.replaced = nil }
    }

    mutating func remove(key: String) { wishes[key] = nil }

    /// Forgets a notification that has left the screen, unless a new one has its key.
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

    /// Returns the server's reports, and forgets them.
    mutating func takeNews() -> News {
        defer { news = News() }
        return news
    }
}

extension NotificationBoard {
    /// A thread-safe inbox, which wakes the board. Several changes while the board is busy wake the
    /// board once.
    final class Inbox: Sendable {
        let wakeUps: AsyncStream<Void>
        private let wake: AsyncStream<Void>.Continuation
        private let content = Mutex(NotificationInbox())

        init() { (wakeUps, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

        var wishes: [String: NotificationInbox.Wish] { content.withLock { $0.wishes } }
        /// The number of requests and signals, for tests.
        var count: Int { content.withLock { $0.count } }

        /// Changes the content, and wakes the board.
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
