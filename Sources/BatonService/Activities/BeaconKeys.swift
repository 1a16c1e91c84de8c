// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonProtocol

/// The keys that open beacons and hash activities. All these keys are derived from the circle's
/// secret.
struct BeaconKeys: Sendable {
    /// The circle's secret, or nil without a circle.
    private(set) var secret: CircleSecret?
    /// The hasher that hashes activities with the secret, or nil without a circle.
    private(set) var hasher: ActivityHasher?
    private var ciphers: [BeaconForm: BeaconCipher] = [:]
    private var former = FormerHashers()

    /// Replaces the secret, or removes it.
    ///
    /// - Returns: Whether the secret has changed.
    mutating func adopt(_ secret: CircleSecret?, at uptime: Duration) -> Bool {
        guard secret != self.secret else { return false }
        // Keep the previous hasher only if a new secret follows. When this device leaves its
        // circle, no device can ask for its activities any more.
        if secret != nil, let hasher { former.append(hasher, at: uptime) }
        self.secret = secret
        hasher = secret.map(ActivityHasher.init)
        ciphers = .init(of: secret)
        return true
    }

    /// Returns a member's beacon, or nil if the payload is not a current beacon of the circle.
    ///
    /// - Parameter payload: An advertisement; or a datagram, and then the identity of the network.
    mutating func open(_ payload: [UInt8], at unixTime: Int64) -> OpenedBeacon? {
        ciphers.open(payload, at: unixTime)
    }

    /// Returns a beacon sealed for a local network, or nil without a circle.
    mutating func sealDatagram(_ beacon: Beacon, at unixTime: Int64, in network: [UInt8]) -> [UInt8]? {
        ciphers[.datagram]?.seal(beacon, at: unixTime, in: network)
    }

    /// Returns the hash under which an activity is offered, or nil without a circle.
    func hash(of entry: ActivityRegistry.Entry) -> ActivityHash? {
        hasher?.hash(team: entry.team, type: entry.state.activityType)
    }

    /// Returns whether an activity is offered under a hash, or was offered under it until the
    /// secret changed recently.
    func isOffered(_ entry: ActivityRegistry.Entry, as activity: [UInt8], at uptime: Duration) -> Bool {
        hash(of: entry)?.bytes == activity || former.offered(entry, as: activity, at: uptime)
    }
}
