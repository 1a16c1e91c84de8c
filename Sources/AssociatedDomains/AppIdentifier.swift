// SPDX-License-Identifier: Apache-2.0

/// The name that a domain's file gives an app: `TEAM.app-id`.
///
/// An example is `ABCDE12345.org.example.Reader`.
public struct AppIdentifier: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The text, as in the domain's file.
    public let description: String

    /// The maximum length in bytes: 255 each for the team and the app's id, and a dot.
    public static let maximumLength = 511

    /// Creates the identifier of a team's app.
    ///
    /// Returns nil without a team or an id. Also returns nil for a team with a dot, because then an
    /// app of another team could have the same identifier.
    public init?(team: String?, app: String) {
        guard let team, !team.isEmpty, !team.contains("."), !app.isEmpty else { return nil }
        self.init("\(team).\(app)")
    }

    /// Creates an identifier from its text. Returns nil if the text is empty or too long.
    public init?(_ text: String) {
        guard (1...Self.maximumLength).contains(text.utf8.count) else { return nil }
        description = text
    }

    /// Compares the texts.
    public static func < (one: Self, other: Self) -> Bool { one.description < other.description }
}
