// SPDX-License-Identifier: Apache-2.0

/// Which adapters the user has switched off: `adapters` and `adapters.ID` of the configuration.
public struct AdapterSwitches: Hashable, Sendable {
    /// Whether none counts.
    public var areAllOff: Bool
    /// Those that do not count.
    public var off: Set<String>

    /// Switches that are off as said.
    public init(areAllOff: Bool = false, off: Set<String> = []) {
        self.areAllOff = areAllOff
        self.off = off
    }

    /// The key of the switch for all, and what the key of an adapter's own begins with before a
    /// dot.
    static let key = "adapters"
    /// The most adapters with a switch of their own.
    static let maximum = 64

    /// The key of a switch.
    ///
    /// - Parameter adapter: Nil for the switch of all.
    static func key(of adapter: String?) -> String { adapter.map { "\(key).\($0)" } ?? key }

    /// Whether an adapter counts, as far as the switches say.
    func isOn(_ adapter: String) -> Bool { !areAllOff && !off.contains(adapter) }
}
