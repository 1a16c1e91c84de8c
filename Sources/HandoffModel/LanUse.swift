// SPDX-License-Identifier: Apache-2.0

/// In which local networks this laptop contacts other laptops by itself (`lan` in the
/// configuration).
public enum LanUse: String, Hashable, Sendable, CaseIterable {
    /// In networks in which a laptop of the circle was met, or that the user has allowed.
    case known
    /// In every local network.
    case always
    /// In no local network. Laptops are then found only by Bluetooth.
    case off
}
