// SPDX-License-Identifier: Apache-2.0

/// The type of an offer that the user chose. The fetched activity must have this type.
///
/// Source: Session.md, "Continue".
public struct OfferedType: Sendable {
    private let activity: ActivityHash
    private let type: String?

    /// Stores the present type of an offer.
    ///
    /// A member may later name other teams and types with the same hash, if it has searched for
    /// such collisions. They change nothing.
    public init(of offer: Offer) {
        activity = offer.activity
        type = offer.type
    }

    /// Returns whether a fetched activity's type is the one that was offered.
    ///
    /// - Parameters:
    ///   - type: The type of the fetched activity.
    ///   - learnt: The kind that the offer's hash stands for, as far as it has become known since.
    ///   - teams: The teams that are known here, since a fetched activity names none. They are
    ///     tried, as well as no team, if the type was never named.
    ///   - hasher: The hasher of the circle's secret.
    public func isType(
        _ type: String, learnt: ActivityKind?, teams: some Sequence<String>, hasher: ActivityHasher
    ) -> Bool {
        if let offered = self.type ?? learnt?.type { return offered.utf8.elementsEqual(type.utf8) }
        return ([""] + teams).contains { hasher.hash(team: $0, type: type) == activity }
    }
}
