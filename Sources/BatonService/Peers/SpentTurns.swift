// SPDX-License-Identifier: Apache-2.0

/// What each of several keys, devices for example, has spent of a ``RateLimit``.
package struct SpentTurns<Key: Hashable & Sendable>: Sendable {
    private let limit: RateLimit
    /// When all that a key has spent will have come back; past moments are forgotten.
    private var restored: [Key: Duration] = [:]

    /// Nothing is spent yet.
    package init(_ limit: RateLimit) { self.limit = limit }

    /// How many keys have spent something that has not come back.
    package var count: Int { restored.count }

    /// Takes a key's next turn, if it is due.
    ///
    /// - Returns: Whether it was.
    package mutating func take(_ key: Key, at uptime: Duration) -> Bool {
        restored = restored.filter { $0.value > uptime }
        let turn = limit.next(after: restored[key], at: uptime)
        guard turn.due <= uptime else { return false }
        restored[key] = turn.restored
        return true
    }

    /// The keys whose next turn is not due.
    package func waiting(at uptime: Duration) -> Set<Key> {
        Set(restored.keys.filter { due($0, at: uptime) > uptime })
    }

    /// The uptime at which a key's next turn is due.
    package func due(_ key: Key, at uptime: Duration) -> Duration {
        max(limit.next(after: restored[key], at: uptime).due, uptime)
    }
}
