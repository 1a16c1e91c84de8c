// SPDX-License-Identifier: Apache-2.0

/// The type of activity that was offered, and chosen for that: what comes must have it (Session.md,
/// "Continue").
public struct OfferedType: Sendable {
    private let activity: ActivityHash
    private let type: String?

    /// The type of an offer as it is now.
    ///
    /// A member may tell other teams and types later, which have the same hash if it has worked for
    /// that; they change nothing.
    public init(of offer: Offer) {
        activity = offer.activity
        type = offer.type
    }

    /// Whether an activity of a type is the one that was offered.
    ///
    /// - Parameters:
    ///   - type: The type that came.
    ///   - learnt: What the offer's hash stands for, as far as it has been learnt since.
    ///   - teams: Teams that are known here; what came names none. They count where the type was
    ///     never told, and so does none.
    ///   - hasher: Of the circle's secret.
    public func isType(
        _ type: String, learnt: ActivityKind?, teams: some Sequence<String>, hasher: ActivityHasher
    ) -> Bool {
        if let offered = self.type ?? learnt?.type { return offered.utf8.elementsEqual(type.utf8) }
        return ([""] + teams).contains { hasher.hash(team: $0, type: type) == activity }
    }
}
