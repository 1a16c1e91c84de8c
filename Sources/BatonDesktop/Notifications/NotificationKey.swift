// SPDX-License-Identifier: Apache-2.0

/// The subject of a notification, which is its key on the board.
struct NotificationKey: Hashable, Sendable {
    enum Kind: String, Sendable {
        /// An offer, by its id.
        case offer
        /// A hand-over that is in progress or failed, by the id of the offer or search result.
        case progress, failure
        /// A laptop that fetches repeatedly without continuing anything, by its device id.
        case fetches
        /// A question about a sandboxed app, by its number.
        case grant
        /// The suggestion to add another laptop.
        case welcome
    }

    let kind: Kind
    let subject: String

    init(_ kind: Kind, _ subject: String) { (self.kind, self.subject) = (kind, subject) }

    /// Parses a key of the board, or returns nil if it has an unknown kind.
    init?(_ text: String) {
        guard let colon = text.firstIndex(of: ":"), let kind = Kind(rawValue: String(text[..<colon])) else {
            return nil
        }
        self.init(kind, String(text[text.index(after: colon)...]))
    }

    /// The key in the board's form.
    var text: String { "\(kind.rawValue):\(subject)" }
}

enum NotificationChange: Hashable, Sendable {
    /// Shows a notification in place of the notification with the second key, if there is one.
    case show(Notification, NotificationKey, replacing: NotificationKey? = nil)
    /// Removes a notification.
    case remove(NotificationKey)
}
