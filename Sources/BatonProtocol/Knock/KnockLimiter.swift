// SPDX-License-Identifier: Apache-2.0

/// Limits the work that strangers can cause on one transport before they prove themselves.
///
/// Each transport has its own limiter, so that attacks over one transport do not affect the others.
/// Within a transport, channels are counted by *source*. If there are too many, the source with the
/// most channels loses one. Among sources with equally many channels, an unknown source loses one
/// first (``KnockRateLimiter``). Times are uptimes and must not go back. `ID` identifies a channel.
public struct KnockLimiter<ID: Hashable & Sendable>: Sendable {
    /// An action for the service.
    public enum Action: Hashable, Sendable {
        /// Close a channel silently. The limiter has already forgotten it.
        case close(ID)
        /// Drop the LE link to a source, with all channels on it.
        case disconnect(source: String)
    }

    private struct Unproved: Sendable {
        var id: ID
        /// The source that the channel counts for.
        var source: String
        /// The address that becomes known if the channel's knock is proved.
        var address: String
        var deadline: Duration
        /// The number of channels of the source that were closed meanwhile, and do not count as
        /// failures yet.
        var spared = 0
    }

    private struct Failures: Sendable {
        var count: Int
        var last: Duration
    }

    private let dropsLinks: Bool
    /// The channels without a proved knock, the oldest first.
    private var unproved: [Unproved] = []
    private var budget = KnockRateLimiter()
    private var failures: [String: Failures] = [:]

    /// Creates a limiter without channels.
    ///
    /// - Parameter dropsLinks: Whether sources are LE links, which are dropped after too many
    ///   failures.
    public init(dropsLinks: Bool) { self.dropsLinks = dropsLinks }

    /// The number of channels that have not proved themselves.
    var unprovedCount: Int { unproved.count }

    /// The time at which ``timePassed(at:)`` is due; `nil` if all channels have proved themselves.
    public var nextDeadline: Duration? { unproved.first?.deadline }

    /// Adds an accepted channel.
    ///
    /// If there are then too many, the source with the most channels loses its oldest channel, so
    /// that strangers' channels do not keep a member out.
    ///
    /// - Parameters:
    ///   - id: The channel.
    ///   - address: The address that it comes from.
    ///   - network: The group of addresses among which one machine may choose; nil if there is no
    ///     such group. A known address is a source of its own, so that strangers in a member's
    ///     group do not use up the member's share.
    ///   - uptime: The present time.
    public mutating func opened(
        _ id: ID, from address: String, of network: String? = nil, at uptime: Duration
    ) -> [Action] {
        var actions = timePassed(at: uptime)
        let source = budget.isKnown(address, at: uptime) ? address : network ?? address
        unproved.append(Unproved(id: id, source: source, address: address, deadline: uptime + KnockLimits.deadline))
        guard unproved.count > KnockLimits.unprovedChannels else { return actions }
        let gone = unproved.remove(at: mostExpendable(at: uptime))
        actions.append(.close(gone.id))
        // If a source displaces its own channel, that channel can no longer fail at its deadline.
        // Count the failure now.
        if gone.source == source { actions += failure(of: source, at: uptime) }
        return actions
    }

    /// Returns whether a channel's complete knock may be tried with the keys now.
    ///
    /// If not, close the channel silently. The limiter has then forgotten it. The refusal is not a
    /// failure of the channel's link, because strangers could otherwise cause a member's link to be
    /// dropped.
    public mutating func mayTry(_ id: ID, at uptime: Duration) -> Bool {
        guard let channel = unproved.first(where: { $0.id == id }) else { return false }
        if budget.spend(from: channel.source, at: uptime) { return true }
        _ = remove(id)
        return false
    }

    /// Records that a channel's knock matched a key.
    ///
    /// The limiter forgets the channel and the failures of its source. The channel's address is
    /// known from now on.
    public mutating func proved(_ id: ID, at uptime: Duration) {
        guard let channel = remove(id) else { return }
        failures[channel.source] = nil
        budget.known(channel.address, at: uptime)
    }

    /// Forgets a channel that does something other than knock.
    public mutating func released(_ id: ID) { _ = remove(id) }

    /// Records that a channel sent something that is not a valid knock.
    ///
    /// The limiter forgets the channel, and counts a failure of its LE link.
    public mutating func refused(_ id: ID, at uptime: Duration) -> [Action] {
        guard let channel = remove(id) else { return [] }
        return failure(of: channel.source, at: uptime)
    }

    /// Records that a channel was closed by either side.
    ///
    /// If the channel had not proved itself, the closing counts as a failure of its LE link. A
    /// member that dials several times at once closes all channels but one
    /// (Decisions/0009-identifiers-in-use.md). So while the source has another unproved channel, up
    /// to ``KnockLimits/sparedChannels`` closed channels do not count as failures.
    public mutating func closed(_ id: ID, at uptime: Duration) -> [Action] {
        guard let channel = remove(id) else { return [] }
        if let other = unproved.firstIndex(where: { $0.source == channel.source }) {
            // The other channel takes over the count. Otherwise the count would begin again with
            // each channel.
            unproved[other].spared += channel.spared + 1
            guard unproved[other].spared > KnockLimits.sparedChannels else { return [] }
            unproved[other].spared = 0
        }
        return failure(of: channel.source, at: uptime)
    }

    /// Closes the channels that have not proved themselves in time.
    public mutating func timePassed(at uptime: Duration) -> [Action] {
        var actions: [Action] = []
        while let oldest = unproved.first, oldest.deadline <= uptime {
            unproved.removeFirst()
            actions.append(.close(oldest.id))
            actions += failure(of: oldest.source, at: uptime)
        }
        return actions
    }

    /// Returns the index of the oldest channel of the source with the most channels. Among sources
    /// with equally many channels, unknown sources come first.
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

/// The limits of ``KnockLimiter`` for each transport.
public enum KnockLimits {
    /// The maximum number of channels that have not proved themselves.
    public static let unprovedChannels = 16
    /// The maximum number of knocks from one source that are checked in a second.
    public static let knocksPerSource = 20
    /// The maximum number of knocks that are checked in a second.
    ///
    /// The limit applies to all unknown sources together, and separately to all known sources
    /// together.
    public static let knocksPerSecond = 100
    /// How long a source is known after a proved knock.
    public static let sourceMemory = Duration.seconds(86_400)
    /// The longest time between the acceptance of a channel and its proved knock.
    public static let deadline = Duration.seconds(3)
    /// The number of failures after which an LE link is dropped.
    public static let failuresPerLink = 3
    /// The number of channels that a source may close without a failure while another of its
    /// channels is open.
    ///
    /// A member dials at most six times at once.
    public static let sparedChannels = 5
    /// How long a failure counts.
    public static let failureMemory = Duration.seconds(600)
    /// The maximum number of known sources, and of sources with failures.
    public static let rememberedSources = 64
}
