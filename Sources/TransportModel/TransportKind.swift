// SPDX-License-Identifier: Apache-2.0

/// The kind of transport that carries a channel. The name of the kind is part of the knock, so a
/// knock for one transport is useless on another.
public enum TransportKind: String, Hashable, Sendable, CaseIterable {
    /// A Bluetooth LE credit-based channel.
    case l2cap
    /// TCP over IPv4 or IPv6.
    case tcp
    /// A Unix socket that simulates a radio.
    case simulated
}
