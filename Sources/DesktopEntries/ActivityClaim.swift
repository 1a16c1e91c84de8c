// SPDX-License-Identifier: Apache-2.0

/// The activities that an app claims to publish and to continue: activity types, and the team that
/// they belong to.
public struct ActivityClaim: Hashable, Sendable {
    /// The team, or an empty text if there is none.
    public var team: String
    /// The activity types, including the types of documents.
    public var types: Set<String>

    /// Creates a claim.
    public init(team: String = "", types: Set<String> = []) {
        self.team = team
        self.types = types
    }
}
