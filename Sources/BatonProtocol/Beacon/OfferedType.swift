// SPDX-License-Identifier: Apache-2.0

/// The type of an offer that the user chose. The fetched activity must have this type.
///
/// Source: Session.md, "Continue".
public struct OfferedType: Sendable {
    private let activity: ActivityHash
    private let type: String?

    /// Stores the type that an offer has now.
    ///
    /// A member that has searched for collisions may later name another type with the same hash.
    /// Such a name changes nothing.
    public init(of offer: Offer) {
        activity = offer.activity
        type = offer.type
    }

    /// Returns whether a fetched activity's type is the one that was offered.
    ///
    /// - Parameters:
    ///   - type: The type of the fetched activity.
    ///   - learnt: The kind that the offer's hash stands for, if it has become known since.
    ///   - teams: The teams that are known here. If the offer's type was never named, each of these
    ///     teams and the empty team are tried, because a fetched activity does not name its team.
    ///   - hasher: The hasher of the circle's secret.
    public func isType(
        _ type: String, learnt: ActivityKind?, teams: some Sequence<String>, hasher: ActivityHasher
    ) -> Bool {
        if let offered = self.type ?? learnt?.type { return offered.utf8.elementsEqual(type.utf8) }
        return ([""] + teams).contains { hasher.hash(team: $0, type: type) == activity }
    }
}
