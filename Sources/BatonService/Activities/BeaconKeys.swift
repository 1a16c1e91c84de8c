// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonProtocol

/// The keys that open beacons and hash activities. All are derived from the circle's secret.
struct BeaconKeys: Sendable {
    /// The circle's secret, or nil without a circle.
    private(set) var secret: CircleSecret?
    /// The hasher that hashes activities with the secret, or nil without a circle.
    private(set) var hasher: ActivityHasher?
    private var cipher: BeaconCipher?
    /// The cipher of beacons in local networks.
    private var datagramCipher: BeaconCipher?
    private var former = FormerHashers()

    /// Replaces the secret, or removes it.
    ///
    /// - Returns: Whether the secret has changed.
    mutating func adopt(_ secret: CircleSecret?, at uptime: Duration) -> Bool {
        guard secret != self.secret else { return false }
        // Keep the former hasher only if a new secret follows. When this device leaves its circle,
        // no device can ask for its activities any more.
        if secret != nil, let hasher { former.append(hasher, at: uptime) }
        self.secret = secret
        hasher = secret.map(ActivityHasher.init)
        cipher = secret.map { BeaconCipher(secret: $0) }
        datagramCipher = secret.map { BeaconCipher(secret: $0, form: .datagram) }
        return true
    }

    /// Returns a member's beacon, or nil if the payload is not a current beacon of the circle.
    mutating func open(_ payload: [UInt8], at unixTime: Int64) -> OpenedBeacon? {
        cipher?.open(payload, at: unixTime)
    }

    /// Returns a member's beacon from a local network, or nil if the bytes are no current beacon of
    /// the circle.
    ///
    /// - Parameter sealed: The bytes of the datagram, followed by the identity of the network.
    mutating func openDatagram(_ sealed: [UInt8], at unixTime: Int64) -> Beacon? {
        datagramCipher?.open(sealed, at: unixTime)?.beacon
    }

    /// Returns a beacon sealed for a local network, or nil without a circle.
    mutating func sealDatagram(_ beacon: Beacon, at unixTime: Int64, in network: [UInt8]) -> [UInt8]? {
        datagramCipher?.seal(beacon, at: unixTime, in: network)
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
