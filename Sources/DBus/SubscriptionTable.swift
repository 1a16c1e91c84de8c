// SPDX-License-Identifier: Apache-2.0

/// The open signal subscriptions, and the owners of the well-known names that their rules mention.
struct SubscriptionTable {
    struct Subscription {
        var match: DBusMatch
        var deliver: @Sendable (DBusSignal) -> Void
        var finish: @Sendable () -> Void
        /// Whether the bus has confirmed the rule.
        var isAdded = false
    }

    private struct WatchedName {
        var owner: String?
        var users: Int
    }

    private(set) var subscriptions: [UInt64: Subscription] = [:]
    private var names: [String: WatchedName] = [:]

    var count: Int { subscriptions.count }

    mutating func insert(_ subscription: Subscription, id: UInt64) { subscriptions[id] = subscription }

    mutating func remove(_ id: UInt64) -> Subscription? { subscriptions.removeValue(forKey: id) }

    /// Records that the bus confirmed the rule. Returns `false` if the subscription has already
    /// ended.
    mutating func confirm(_ id: UInt64) -> Bool {
        guard subscriptions[id] != nil else { return false }
        subscriptions[id]?.isAdded = true
        return true
    }

    /// Counts one more user of a bus name. Returns `true` for the first user, because the
    /// connection must watch the name from then on.
    mutating func use(_ name: String) -> Bool {
        names[name, default: WatchedName(owner: nil, users: 0)].users += 1
        return names[name]?.users == 1
    }

    /// Removes a user of a name. Returns `true` for the last user, after whom the name need not be
    /// watched.
    mutating func release(_ name: String) -> Bool {
        guard let watched = names[name] else { return false }
        guard watched.users <= 1 else {
            names[name]?.users -= 1
            return false
        }
        names[name] = nil
        return true
    }

    mutating func setOwner(_ owner: String?, of name: String) { names[name]?.owner = owner }

    /// Returns the subscriptions that match a signal's header.
    func candidates(sender: String, path: String, interface: String, member: String) -> [Subscription] {
        subscriptions.values.filter { subscription in
            let match = subscription.match
            guard match.fits(path: path, interface: interface, member: member) else { return false }
            guard let wanted = match.sender else { return true }
            return Self.isWellKnown(wanted) ? names[wanted]?.owner == sender : wanted == sender
        }
    }

    mutating func finishAll() {
        let all = subscriptions.values
        subscriptions = [:]
        names = [:]
        for subscription in all { subscription.finish() }
    }

    /// Returns whether a rule's sender is a well-known name, whose owner must be known. The bus
    /// itself and unique names need no owner.
    static func isWellKnown(_ name: String) -> Bool { !name.hasPrefix(":") && name != ConnectionCore.busName }
}
