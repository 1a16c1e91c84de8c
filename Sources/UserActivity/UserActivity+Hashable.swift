// SPDX-License-Identifier: Apache-2.0

/// Compares activities by ``identity``: an activity equals only itself, whatever it contains.
extension UserActivity: Hashable {
    /// Returns whether both are the same activity.
    public static func == (one: UserActivity, other: UserActivity) -> Bool { one.identity == other.identity }

    /// Hashes the identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(identity) }
}
