// SPDX-License-Identifier: Apache-2.0

package import BatonProtocol

/// The use of one ``RateLimit`` by each of several keys, for example devices.
package struct SpentTurns<Key: Hashable & Sendable>: Sendable {
    private let limit: RateLimit
    /// The uptimes at which the keys' limits are fully available again. Past ones are removed.
    private var restored: [Key: Duration] = [:]

    /// Creates a record in which no key has used its limit.
    package init(_ limit: RateLimit) { self.limit = limit }

    /// The number of keys whose limits are not fully available.
    package var count: Int { restored.count }

    /// Uses a key's next turn, if it is due.
    ///
    /// - Returns: Whether it was due.
    package mutating func take(_ key: Key, at uptime: Duration) -> Bool {
        restored = restored.filter { $0.value > uptime }
        let turn = limit.next(after: restored[key], at: uptime)
        guard turn.due <= uptime else { return false }
        restored[key] = turn.restored
        return true
    }

    /// Returns the keys whose next turn is not due.
    package func waiting(at uptime: Duration) -> Set<Key> {
        Set(restored.keys.filter { due($0, at: uptime) > uptime })
    }

    /// Returns the uptime at which a key's next turn is due.
    package func due(_ key: Key, at uptime: Duration) -> Duration {
        max(limit.next(after: restored[key], at: uptime).due, uptime)
    }
}
