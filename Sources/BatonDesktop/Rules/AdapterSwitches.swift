// SPDX-License-Identifier: Apache-2.0

/// The adapters that the user has switched off.
///
/// Their keys in the configuration are `adapters` and `adapters.ID`.
public struct AdapterSwitches: Hashable, Sendable {
    /// Whether all adapters are off.
    public var areAllOff = false
    /// The ids of the adapters that are off.
    public var off: Set<String> = []

    /// The key of the switch for all adapters. The key of one adapter begins with this key and a
    /// dot.
    static let key = "adapters"
    /// The maximum number of adapters with a switch of their own.
    static let maximum = 64

    /// Returns the key of a switch.
    ///
    /// - Parameter adapter: The adapter's id, or nil for the switch of all adapters.
    static func key(of adapter: String?) -> String { adapter.map { "\(key).\($0)" } ?? key }

    /// Returns whether no switch turns an adapter off.
    func isOn(_ adapter: String) -> Bool { !areAllOff && !off.contains(adapter) }
}
