// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonProtocol

/// The hashers of the circle's earlier secrets.
///
/// A device that does not know the new hashes yet may still ask for an activity with an old hash.
struct FormerHashers {
    /// How long a previous hasher is accepted. Devices learn the new hashes much sooner.
    static let lifetime = Duration.seconds(60)
    /// The maximum number of earlier secrets that are kept.
    static let limit = 4

    private var hashers: [(hasher: ActivityHasher, until: Duration)] = []

    /// Adds the hasher of a secret that a new secret has replaced.
    mutating func append(_ hasher: ActivityHasher, at now: Duration) {
        hashers = hashers.filter { now < $0.until }.suffix(Self.limit - 1) + [(hasher, now + Self.lifetime)]
    }

    /// Returns whether an earlier secret gives an activity this hash.
    func offered(_ entry: ActivityRegistry.Entry, as activity: [UInt8], at now: Duration) -> Bool {
        hashers.contains {
            now < $0.until && $0.hasher.hash(team: entry.team, type: entry.state.activityType)?.bytes == activity
        }
    }
}
