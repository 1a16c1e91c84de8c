// SPDX-License-Identifier: Apache-2.0

/// What a notification is about: the key that it has on the board.
enum NotificationKey: Hashable, Sendable {
    /// An offer, by its id.
    case offer(String)
    /// A hand-over that is under way, by the id of what is handed over.
    case progress(String)
    /// A hand-over that failed, by the id of what was handed over.
    case failure(String)
    /// A laptop that fetches again and again, by its device's id.
    case fetches(String)
    /// A question about a sandboxed app, by its number.
    case grant(String)

    /// Reads a key as the board has it; nil for one of another kind.
    init?(_ text: String) {
        guard let colon = text.firstIndex(of: ":") else { return nil }
        let subject = String(text[text.index(after: colon)...])
        switch text[..<colon] {
        case "offer": self = .offer(subject)
        case "progress": self = .progress(subject)
        case "failure": self = .failure(subject)
        case "fetches": self = .fetches(subject)
        case "grant": self = .grant(subject)
        default: return nil
        }
    }

    /// The key as the board has it.
    var text: String {
        switch self {
        case .offer(let offer): "offer:\(offer)"
        case .progress(let offer): "progress:\(offer)"
        case .failure(let offer): "failure:\(offer)"
        case .fetches(let device): "fetches:\(device)"
        case .grant(let number): "grant:\(number)"
        }
    }
}

/// A change of what is on the screen.
enum NotificationChange: Hashable, Sendable {
    /// Shows a notification, in the place of the one with the second key if there is one.
    case show(Notification, NotificationKey, replacing: NotificationKey? = nil)
    /// Takes a notification away.
    case remove(NotificationKey)
}

extension NotificationBoard {
    /// Carries out changes in their order.
    nonisolated func carryOut(_ changes: [NotificationChange]) {
        for change in changes {
            switch change {
            case .show(let notification, let key, let replaced):
                show(notification, key: key.text, replacing: replaced?.text)
            case .remove(let key): remove(key: key.text)
            }
        }
    }
}
