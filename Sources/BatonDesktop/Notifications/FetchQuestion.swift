// SPDX-License-Identifier: Apache-2.0

import ActivityModel

/// The notification of a laptop that fetches again and again, and takes nothing over.
enum FetchQuestion {
    static let stopAction = "stop"
    private static let prefix = "fetches:"

    /// The notification's key: one for a laptop.
    static func key(of device: String) -> String { prefix + device }

    /// Whether a notification's key is of one.
    static func isKey(_ key: String) -> Bool { key.hasPrefix(prefix) }

    /// The id of the laptop that a key is about.
    static func device(ofKey key: String) -> String { String(key.dropFirst(prefix.count)) }

    static func notification(of name: String, count: Int) -> Notification {
        let fact = "It has asked \(count) times and has not gone on with it."
        return Notification(
            summary: "\(name) keeps asking for what you do here",
            body: "\(fact) If that is not you, stop it: it then gets nothing from this laptop for an hour.",
            bodyWithoutActions: "\(fact) If that is not you, 'baton stop' gives it nothing for an hour.",
            actions: [.init(stopAction, "Stop")], stay: .untilAnswered)
    }
}
