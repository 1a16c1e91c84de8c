// SPDX-License-Identifier: Apache-2.0

/// What the user is being told of hand-overs, by the notification's key.
///
/// A hand-over's progress goes with the hand-over, of which there are few. Nobody need ever dismiss
/// a failure: of these the latest are kept.
struct ShownHandoverNotices: Sendable {
    /// How many failures there are at most.
    static let maximumFailures = 8

    private var notices: [NotificationKey: HandoverNotice] = [:]
    /// The keys of the failures, the oldest first.
    private var failures: [NotificationKey] = []

    /// The keys of all.
    var keys: [NotificationKey] { Array(notices.keys) }

    subscript(key: NotificationKey) -> HandoverNotice? { notices[key] }

    /// Takes one in, in place of the one with the same key.
    ///
    /// - Returns: The key of the oldest failure, when that had to make room.
    mutating func insert(_ notice: HandoverNotice, key: NotificationKey) -> NotificationKey? {
        remove(key)
        notices[key] = notice
        guard case .failure = notice else { return nil }
        failures.append(key)
        guard failures.count > Self.maximumFailures else { return nil }
        let oldest = failures[0]
        remove(oldest)
        return oldest
    }

    /// Forgets one; nothing happens when there is none.
    mutating func remove(_ key: NotificationKey) {
        notices[key] = nil
        failures.removeAll { $0 == key }
    }
}
