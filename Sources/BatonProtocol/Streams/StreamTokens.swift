// SPDX-License-Identifier: Apache-2.0

/// The tokens that were issued for streams and not used yet.
///
/// A token is bound to the device that asked for it and to the activity instance; the first
/// attachment that shows it takes it away.
public struct StreamTokens<Peer: Hashable & Sendable>: Sendable {
    private struct Entry: Sendable {
        let peer: Peer
        let account: Peer
        let instance: [UInt8]
        let deadline: Duration
    }

    private var entries: [[UInt8]: Entry] = [:]

    /// How many there are, those whose time is over among them until the next is issued.
    public var count: Int { entries.count }

    /// How long a token can be used.
    public static var lifetime: Duration { .seconds(60) }

    /// No tokens.
    public init() {}

    /// A new token of 16 random bytes, or `nil` when too many wait (``StreamLimits``).
    ///
    /// - Parameters:
    ///   - account: Whose tokens count with the device's.
    ///   - now: The uptime.
    public mutating func issue(
        to peer: Peer, of account: Peer, instance: [UInt8], at now: Duration
    ) -> [UInt8]? {
        var generator = SystemRandomNumberGenerator()
        return issue(to: peer, of: account, instance: instance, at: now, using: &generator)
    }

    mutating func issue(
        to peer: Peer, of account: Peer, instance: [UInt8], at now: Duration,
        using generator: inout some RandomNumberGenerator
    ) -> [UInt8]? {
        entries = entries.filter { $0.value.deadline > now }
        guard entries.count < StreamLimits.maximumCount,
            entries.values.count(where: { $0.account == account }) < StreamLimits.maximumPerDevice
        else { return nil }
        let token = (0..<StreamGrant.tokenLength).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        entries[token] = Entry(peer: peer, account: account, instance: instance, deadline: now + Self.lifetime)
        return token
    }

    /// Uses a token: the instance that it was issued for, or `nil` when this device may not use it
    /// (any more).
    ///
    /// What another device shows is left alone: nobody can use up what is not theirs.
    ///
    /// - Parameter now: The uptime.
    public mutating func redeem(_ token: [UInt8], by peer: Peer, at now: Duration) -> [UInt8]? {
        guard let entry = entries[token], entry.peer == peer else { return nil }
        entries[token] = nil
        return entry.deadline > now ? entry.instance : nil
    }
}
