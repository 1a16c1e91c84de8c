// SPDX-License-Identifier: Apache-2.0

/// What carries a channel; its name is part of the knock, so a knock for one transport is worth
/// nothing on another.
public enum TransportKind: String, Hashable, Sendable, CaseIterable {
    /// A Bluetooth LE credit-based channel.
    case l2cap
    /// TCP over IPv4 or IPv6.
    case tcp
    /// A Unix socket standing for a radio.
    case simulated
}
