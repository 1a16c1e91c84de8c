// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonProtocol

/// What beacons are opened with, and activities are hashed with: all of it follows from the
/// circle's secret.
struct BeaconKeys: Sendable {
    /// The secret; nil without a circle.
    private(set) var secret: CircleSecret?
    /// Names activities under the secret.
    private(set) var hasher: ActivityHasher?
    private var cipher: BeaconCipher?
    private var former = FormerHashers()

    /// Goes by another secret, or by none.
    ///
    /// - Returns: Whether it is another one.
    mutating func adopt(_ secret: CircleSecret?, at uptime: Duration) -> Bool {
        guard secret != self.secret else { return false }
        // Without a circle nobody is left who could ask by the former secret.
        if secret != nil, let hasher { former.append(hasher, at: uptime) }
        self.secret = secret
        hasher = secret.map(ActivityHasher.init)
        cipher = secret.map { BeaconCipher(secret: $0) }
        return true
    }

    /// What a member advertises; nil for what is none of the circle's beacons of now.
    mutating func open(_ payload: [UInt8], at unixTime: Int64) -> OpenedBeacon? {
        cipher?.open(payload, at: unixTime)
    }

    /// The hash under which an activity is offered.
    func hash(of entry: ActivityRegistry.Entry) -> ActivityHash? {
        hasher?.hash(team: entry.team, type: entry.state.activityType)
    }

    /// Whether an activity is offered under a hash, or was until a short while ago.
    func isOffered(_ entry: ActivityRegistry.Entry, as activity: [UInt8], at uptime: Duration) -> Bool {
        hash(of: entry)?.bytes == activity || former.offered(entry, as: activity, at: uptime)
    }
}
