// SPDX-License-Identifier: Apache-2.0

/// What a domain calls an app that it approves: `TEAM.app-id`, such as
/// `ABCDE12345.org.example.Reader`.
public struct AppIdentifier: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The text, as it stands in the domain's file.
    public let description: String

    /// The longest: a team and an app's id of 255 bytes each.
    public static let maximumLength = 511

    /// An app of a team; nil without a team, and for one with a dot in it, for then another app of
    /// another team could have the same identifier.
    public init?(team: String?, app: String) {
        guard let team, !team.isEmpty, !team.contains("."), !app.isEmpty else { return nil }
        self.init("\(team).\(app)")
    }

    /// An identifier as a whole; nil for one that is empty or too long.
    public init?(_ text: String) {
        guard (1...Self.maximumLength).contains(text.utf8.count) else { return nil }
        description = text
    }

    /// In the order of their texts.
    public static func < (one: Self, other: Self) -> Bool { one.description < other.description }
}
