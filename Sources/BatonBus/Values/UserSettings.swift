// SPDX-License-Identifier: Apache-2.0

/// The user's settings: the answer of `Settings.Follow`.
public struct UserSettings: Hashable, Sendable {
    /// The values by key, as in the configuration file, such as `on` for `notifications`. Keys that
    /// are not in the file have their default values.
    public var values: [String: String]
    /// The rules, in their order.
    public var rules: [String]
    /// The maximum length of a key or a value, in bytes.
    public static let maximumLength = 1_024

    /// Creates settings.
    public init(values: [String: String], rules: [String]) {
        self.values = values
        self.rules = rules
    }
}
