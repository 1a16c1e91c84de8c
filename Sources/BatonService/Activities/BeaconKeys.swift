// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonProtocol

/// The keys that open beacons and hash activities. All are derived from the circle's secret.
struct BeaconKeys: Sendable {
    /// The circle's secret, or nil without a circle.
    private(set) var secret: CircleSecret?
    /// The hasher of activities with the secret, or nil without a circle.
    private(set) var hasher: ActivityHasher?
    private var cipher: BeaconCipher?
    private var former = FormerHashers()

    /// Replaces the secret, or removes it.
    ///
    /// - Returns: Whether the secret has changed.
    mutating func adopt(_ secret: CircleSecret?, at uptime: Duration) -> Bool {
        guard secret != self.secret else { return false }
        // Without a circle, no device can ask with a hash of the former secret.
        if secret != nil, let hasher { former.append(hasher, at: uptime) }
        self.secret = secret
        hasher = secret.map(ActivityHasher.init)
        cipher = secret.map { BeaconCipher(secret: $0) }
        return true
    }

    /// Returns a member's beacon, or nil if the payload is not a current beacon of the circle.
    mutating func open(_ payload: [UInt8], at unixTime: Int64) -> OpenedBeacon? {
        cipher?.open(payload, at: unixTime)
    }

    /// Returns the hash under which an activity is offered, or nil without a circle.
    func hash(of entry: ActivityRegistry.Entry) -> ActivityHash? {
        hasher?.hash(team: entry.team, type: entry.state.activityType)
    }

    /// Returns whether an activity is offered under a hash, or was until the secret changed a short
    /// while ago.
    func isOffered(_ entry: ActivityRegistry.Entry, as activity: [UInt8], at uptime: Duration) -> Bool {
        hash(of: entry)?.bytes == activity || former.offered(entry, as: activity, at: uptime)
    }
}
