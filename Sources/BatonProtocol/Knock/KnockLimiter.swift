// SPDX-License-Identifier: Apache-2.0

/// Bounds what strangers can make a device do before they have proved anything, on one transport.
///
/// Each transport has a limiter of its own, so that whatever comes in by one keeps nobody out who
/// comes by another. Within it, channels share by *source*: who takes much gives way to who takes
/// little, and of equals those are spared from whose source a knock was proved lately. Times are
/// uptimes and must not go back. `ID` names a channel.
public struct KnockLimiter<ID: Hashable & Sendable>: Sendable {
    /// What the service is to do.
    public enum Action: Hashable, Sendable {
        /// Close a channel silently; it is already forgotten here.
        case close(ID)
        /// Drop the LE link to a source, with every channel on it.
        case disconnect(source: String)
    }

    private struct Unproved: Sendable {
        var id: ID
        /// Whose share it takes.
        var source: String
        /// What becomes known when it is proved.
        var address: String
        var deadline: Duration
    }

    private struct Failures: Sendable {
        var count: Int
        var last: Duration
    }

    private let dropsLinks: Bool
    /// Oldest first.
    private var unproved: [Unproved] = []
    private var budget = KnockRateLimiter()
    private var failures: [String: Failures] = [:]

    /// A limiter that has seen nothing.
    ///
    /// - Parameter dropsLinks: Whether a source is an LE link, which is dropped after too many
    ///   failures.
    public init(dropsLinks: Bool) { self.dropsLinks = dropsLinks }

    /// How many channels wait to be proved.
    var unprovedCount: Int { unproved.count }

    /// When ``timePassed(at:)`` is due; `nil` while nothing waits.
    public var nextDeadline: Duration? { unproved.first?.deadline }

    /// A channel was accepted. If there are too many, the source that holds the most loses its
    /// oldest: what strangers hold open does not keep a member out.
    ///
    /// - Parameters:
    ///   - id: The channel.
    ///   - address: Where it comes from.
    ///   - network: All the addresses that one machine may have; nil where it has but one. An
    ///     address that is known is a source of its own, so that strangers on a member's network do
    ///     not take its share.
    ///   - uptime: Now.
    public mutating func opened(
        _ id: ID, from address: String, of network: String? = nil, at uptime: Duration
    ) -> [Action] {
        var actions = timePassed(at: uptime)
        let source = budget.isKnown(address, at: uptime) ? address : network ?? address
        unproved.append(
            Unproved(id: id, source: source, address: address, deadline: uptime + KnockLimits.deadline))
        guard unproved.count > KnockLimits.unprovedChannels else { return actions }
        let gone = unproved.remove(at: mostExpendable(at: uptime))
        actions.append(.close(gone.id))
        // Pushed out by its own source: the deadline that would have counted against it never
        // comes.
        if gone.source == source { actions += failure(of: source, at: uptime) }
        return actions
    }

    /// Whether a channel's whole knock may be tried against the keys now. If not, close it
    /// silently: it is already forgotten here, and does not count against its link, or strangers
    /// could have a member's link dropped.
    public mutating func mayTry(_ id: ID, at uptime: Duration) -> Bool {
        guard let channel = unproved.first(where: { $0.id == id }) else { return false }
        if budget.spend(from: channel.source, at: uptime) { return true }
        _ = remove(id)
        return false
    }

    /// A channel's knock fitted a key: nothing here concerns it any more, its link's failures are
    /// forgiven, and its source is known.
    public mutating func proved(_ id: ID, at uptime: Duration) {
        guard let channel = remove(id) else { return }
        failures[channel.source] = nil
        budget.known(channel.address, at: uptime)
    }

    /// A channel does something else than to knock: nothing here concerns it any more.
    public mutating func released(_ id: ID) { _ = remove(id) }

    /// A channel ended: closed by either side, for whatever reason. One that was not proved counts
    /// against its LE link.
    public mutating func closed(_ id: ID, at uptime: Duration) -> [Action] {
        guard let channel = remove(id) else { return [] }
        return failure(of: channel.source, at: uptime)
    }

    /// Closes what was not proved in time.
    public mutating func timePassed(at uptime: Duration) -> [Action] {
        var actions: [Action] = []
        while let oldest = unproved.first, oldest.deadline <= uptime {
            unproved.removeFirst()
            actions.append(.close(oldest.id))
            actions += failure(of: oldest.source, at: uptime)
        }
        return actions
    }

    /// The oldest of a source that holds the most; of several such, of one that is not known, if
    /// there is any.
    private func mostExpendable(at uptime: Duration) -> Int {
        let held = unproved.reduce(into: [:]) { $0[$1.source, default: 0] += 1 }
        let most = held.values.max()
        let candidates = unproved.indices.filter { held[unproved[$0].source] == most }
        let unknown = candidates.first { !budget.isKnown(unproved[$0].source, at: uptime) }
        return unknown ?? candidates.first ?? unproved.startIndex
    }

    private mutating func remove(_ id: ID) -> Unproved? {
        guard let index = unproved.firstIndex(where: { $0.id == id }) else { return nil }
        return unproved.remove(at: index)
    }

    private mutating func failure(of source: String, at uptime: Duration) -> [Action] {
        guard dropsLinks else { return [] }
        failures = failures.filter { uptime - $0.value.last < KnockLimits.failureMemory }
        let count = (failures[source]?.count ?? 0) + 1
        guard count < KnockLimits.failuresPerLink else {
            failures[source] = nil
            return [.disconnect(source: source)]
        }
        if failures[source] == nil, failures.count >= KnockLimits.rememberedSources,
            let oldest = failures.min(by: { $0.value.last < $1.value.last })
        {
            failures[oldest.key] = nil
        }
        failures[source] = Failures(count: count, last: uptime)
        return []
    }
}

/// The limits of ``KnockLimiter``, for each transport.
public enum KnockLimits {
    /// Channels that may wait to be proved at once.
    public static let unprovedChannels = 16
    /// Knocks of one source that are tried against the keys in any second.
    public static let knocksPerSource = 20
    /// Knocks of all sources that are not known together, and of all that are, that are tried in
    /// any second.
    public static let knocksPerSecond = 100
    /// How long a source is known after a knock from it was proved.
    public static let sourceMemory = Duration.seconds(86_400)
    /// From acceptance to a proved knock.
    public static let deadline = Duration.seconds(3)
    /// Failures after which an LE link is dropped.
    public static let failuresPerLink = 3
    /// How long a failure counts.
    public static let failureMemory = Duration.seconds(600)
    /// Sources that are known, and sources whose failures are remembered.
    public static let rememberedSources = 64
}
