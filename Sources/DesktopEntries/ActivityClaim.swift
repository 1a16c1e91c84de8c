// SPDX-License-Identifier: Apache-2.0

/// Which activities an app says are its to publish and to continue: some types, of one team.
public struct ActivityClaim: Hashable, Sendable {
    /// The team; empty for none.
    public var team: String
    /// The activity types, those of documents included.
    public var types: Set<String>

    /// A claim.
    public init(team: String = "", types: Set<String> = []) {
        self.team = team
        self.types = types
    }
}
