// SPDX-License-Identifier: Apache-2.0

/// The tokens for streams that were issued and not used yet.
///
/// A token belongs to the device that requested it, and to an activity's instance. The first
/// attachment with the token uses it up.
public struct StreamTokens<Peer: Hashable & Sendable>: Sendable {
    private struct Entry: Sendable {
        let peer: Peer
        let account: Peer
        let instance: [UInt8]
        let deadline: Duration
    }

    private var entries: [[UInt8]: Entry] = [:]

    /// The number of tokens. Expired tokens count until the next token is issued.
    public var count: Int { entries.count }

    /// How long a token is valid.
    public static var lifetime: Duration { .seconds(60) }

    /// Creates an empty collection.
    public init() {}

    /// Issues a token of 16 random bytes; returns `nil` if too many are unused (``StreamLimits``).
    ///
    /// - Parameters:
    ///   - account: The account to which the token is charged.
    ///   - now: The present uptime.
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

    /// Uses up a token, and returns the instance for which it was issued; returns `nil` if the
    /// device may not use the token.
    ///
    /// A device cannot use up another device's token.
    ///
    /// - Parameter now: The present uptime.
    public mutating func redeem(_ token: [UInt8], by peer: Peer, at now: Duration) -> [UInt8]? {
        guard let entry = entries[token], entry.peer == peer else { return nil }
        entries[token] = nil
        return entry.deadline > now ? entry.instance : nil
    }
}
