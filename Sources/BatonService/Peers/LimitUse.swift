// SPDX-License-Identifier: Apache-2.0

package import BatonProtocol

/// The use of one ``RateLimit`` by one device or for one purpose.
package struct LimitUse: Sendable {
    private let limit: RateLimit
    /// The uptime at which the limit is fully available again; nil before its first use.
    private var restored: Duration?

    /// Creates a record in which the limit was not used.
    package init(_ limit: RateLimit) { self.limit = limit }

    /// Returns whether the limit is not yet fully available again.
    func isInUse(at uptime: Duration) -> Bool { restored.map { $0 > uptime } ?? false }

    /// Uses the next turn, if it is due.
    ///
    /// - Returns: Whether the turn was due.
    package mutating func take(at uptime: Duration) -> Bool {
        let turn = limit.next(after: restored, at: uptime)
        guard turn.due <= uptime else { return false }
        restored = turn.restored
        return true
    }

    /// Returns the uptime at which the next turn is due, but no earlier than the given uptime.
    package func due(at uptime: Duration) -> Duration { max(limit.next(after: restored, at: uptime).due, uptime) }
}
