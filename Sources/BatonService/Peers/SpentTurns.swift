// SPDX-License-Identifier: Apache-2.0

package import BatonProtocol

/// The use of one ``RateLimit`` by each of several keys, for example devices.
package struct SpentTurns<Key: Hashable & Sendable>: Sendable {
    private let limit: RateLimit
    /// The uses of keys whose limits are not yet fully available again.
    private var uses: [Key: LimitUse] = [:]

    /// Creates a record in which no key has used its limit.
    package init(_ limit: RateLimit) { self.limit = limit }

    /// The number of keys whose limits are not fully available.
    package var count: Int { uses.count }

    /// Uses a key's next turn, if it is due.
    ///
    /// - Returns: Whether the turn was due.
    package mutating func take(_ key: Key, at uptime: Duration) -> Bool {
        uses = uses.filter { $0.value.isInUse(at: uptime) }
        var use = uses[key] ?? LimitUse(limit)
        defer { uses[key] = use }
        return use.take(at: uptime)
    }

    /// Returns the keys whose next turn is not due yet.
    package func waiting(at uptime: Duration) -> Set<Key> {
        Set(uses.filter { $0.value.due(at: uptime) > uptime }.keys)
    }

    /// Returns the uptime at which a key's next turn is due.
    package func due(_ key: Key, at uptime: Duration) -> Duration {
        (uses[key] ?? LimitUse(limit)).due(at: uptime)
    }
}
