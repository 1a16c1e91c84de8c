// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonProtocol

/// How activities were offered under the circle's secrets before this one: another device may just
/// ask by such a hash, and has not heard of the new one yet.
struct FormerHashers {
    /// How long: what a device offers anew is seen much sooner.
    static let lifetime = Duration.seconds(60)
    /// How many secrets are remembered, the latest.
    static let limit = 4

    private var hashers: [(hasher: ActivityHasher, until: Duration)] = []

    /// Another secret has taken the place of a hasher's.
    mutating func append(_ hasher: ActivityHasher, at now: Duration) {
        hashers = hashers.filter { now < $0.until }.suffix(Self.limit - 1) + [(hasher, now + Self.lifetime)]
    }

    /// Whether an activity was, or would have been, offered under a hash a short while ago.
    func offered(_ entry: ActivityRegistry.Entry, as activity: [UInt8], at now: Duration) -> Bool {
        hashers.contains {
            now < $0.until && $0.hasher.hash(team: entry.team, type: entry.state.activityType)?.bytes == activity
        }
    }
}
