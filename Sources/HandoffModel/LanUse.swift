// SPDX-License-Identifier: Apache-2.0

/// When this laptop speaks first to other laptops in a local network (`lan` in the configuration).
public enum LanUse: String, Hashable, Sendable, CaseIterable {
    /// In networks in which a laptop of the circle was met, or that the user has allowed.
    case known
    /// In every local network.
    case always
    /// In none. Laptops are then found by Bluetooth.
    case off
}
