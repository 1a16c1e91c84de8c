// SPDX-License-Identifier: Apache-2.0

/// Bounds what strangers can make a device do before they have proved anything.
///
/// Times are uptimes and must not go back. `ID` names a channel.
public struct KnockLimiter<ID: Hashable & Sendable>: Sendable {
    /// What the service is to do.
    public enum Action: Hashable, Sendable {
        /// Close a channel silently; it is already forgotten here.
        case close(ID)
        /// Drop the LE link to an address, with every channel on it.
        case disconnect(address: String)
    }

    private struct Unproved: Sendable {
        var id: ID
        var address: String?
        var deadline: Duration
    }

    private struct Failures: Sendable {
        var count: Int
        var last: Duration
    }

    /// Oldest first.
    private var unproved: [Unproved] = []
    /// When the knocks of the last second came, oldest first.
    private var knocks: [Duration] = []
    private var failures: [String: Failures] = [:]

    /// A limiter that has seen nothing.
    public init() {}

    /// How many channels wait to be proved.
    public var unprovedCount: Int { unproved.count }

    /// When ``timePassed(at:)`` is due; `nil` while nothing waits.
    public var nextDeadline: Duration? { unproved.first?.deadline }

    /// A channel was accepted. If there are too many, the oldest goes: what a stranger holds open does not keep a member out.
    ///
    /// - Parameters:
    ///   - id: the channel.
    ///   - address: its LE peer's address; `nil` for other transports, whose links cannot be dropped.
    ///   - uptime: now.
    public mutating func opened(_ id: ID, address: String?, at uptime: Duration) -> [Action] {
        var actions = timePassed(at: uptime)
        if unproved.count >= KnockLimits.unprovedChannels {
            let oldest = unproved.removeFirst()
            actions.append(.close(oldest.id))
            // Pushed out by its own link: the deadline that would have counted against it never comes.
            if let address, oldest.address == address { actions += failure(of: address, at: uptime) }
        }
        unproved.append(Unproved(id: id, address: address, deadline: uptime + KnockLimits.deadline))
        return actions
    }

    /// Whether a channel's whole knock may be tried against the keys now. If not, close it silently: it is already forgotten here, and
    /// does not count against its link, or strangers could have a member's link dropped.
    public mutating func mayTry(_ id: ID, at uptime: Duration) -> Bool {
        knocks.removeAll { uptime - $0 >= .seconds(1) }
        guard knocks.count < KnockLimits.knocksPerSecond else {
            _ = remove(id)
            return false
        }
        knocks.append(uptime)
        return true
    }

    /// A channel's knock fitted a key: nothing here concerns it any more, and its link's failures are forgiven.
    public mutating func proved(_ id: ID) {
        guard let channel = remove(id), let address = channel.address else { return }
        failures[address] = nil
    }

    /// A channel ended: closed by either side, for whatever reason. One that was not proved counts against its LE link.
    public mutating func closed(_ id: ID, at uptime: Duration) -> [Action] {
        guard let channel = remove(id), let address = channel.address else { return [] }
        return failure(of: address, at: uptime)
    }

    /// Closes what was not proved in time.
    public mutating func timePassed(at uptime: Duration) -> [Action] {
        var actions: [Action] = []
        while let oldest = unproved.first, oldest.deadline <= uptime {
            unproved.removeFirst()
            actions.append(.close(oldest.id))
            if let address = oldest.address { actions += failure(of: address, at: uptime) }
        }
        return actions
    }

    private mutating func remove(_ id: ID) -> Unproved? {
        guard let index = unproved.firstIndex(where: { $0.id == id }) else { return nil }
        return unproved.remove(at: index)
    }

    private mutating func failure(of address: String, at uptime: Duration) -> [Action] {
        failures = failures.filter { uptime - $0.value.last < KnockLimits.failureMemory }
        let count = (failures[address]?.count ?? 0) + 1
        guard count < KnockLimits.failuresPerLink else {
            failures[address] = nil
            return [.disconnect(address: address)]
        }
        if failures[address] == nil, failures.count >= KnockLimits.rememberedLinks,
            let oldest = failures.min(by: { $0.value.last < $1.value.last })
        {
            failures[oldest.key] = nil
        }
        failures[address] = Failures(count: count, last: uptime)
        return []
    }
}

/// The limits of ``KnockLimiter``.
public enum KnockLimits {
    /// Channels that may wait to be proved at once.
    public static let unprovedChannels = 16
    /// Knocks that are tried against the keys in any second.
    public static let knocksPerSecond = 20
    /// From acceptance to a proved knock.
    public static let deadline = Duration.seconds(3)
    /// Failures after which an LE link is dropped.
    public static let failuresPerLink = 3
    /// How long a failure counts.
    public static let failureMemory = Duration.seconds(600)
    /// Links whose failures are remembered.
    public static let rememberedLinks = 64
}
