// SPDX-License-Identifier: Apache-2.0

/// The tokens that were issued for streams and not used yet.
///
/// A token is bound to the device that asked for it and to the activity instance; the first attachment that shows it takes it away.
public struct StreamTokens<Peer: Hashable & Sendable>: Sendable {
    /// How long a token can be used.
    public static var lifetime: Duration { .seconds(60) }
    /// How many tokens can wait to be used.
    public static var maximumCount: Int { 256 }
    /// How many of them can wait for one device: as many as a Bluetooth link carries streams.
    public static var maximumCountPerPeer: Int { 32 }

    /// No tokens.
    public init() {}

    /// A new token of 16 random bytes, or `nil` when too many wait.
    public mutating func issue(to peer: Peer, instance: [UInt8], at now: Duration) -> [UInt8]? { nil }

    /// Uses a token: the instance that it was issued for, or `nil` when this device may not use it (any more).
    public mutating func redeem(_ token: [UInt8], by peer: Peer, at now: Duration) -> [UInt8]? { nil }
}
