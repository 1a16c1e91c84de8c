// SPDX-License-Identifier: Apache-2.0

/// How the clocks of the circle's other devices differ from this one's, as they said inside TLS,
/// and what that opens.
///
/// No clock is set and none is taken to be right: a device's own beacons are opened at its own
/// time. What one member says of its clock concerns that member's beacons alone.
/// Documentation/Protocol/Beacon.md, "Clocks".
public struct PeerClocks: Sendable {
    /// Differences up to this many seconds need no correction, and are not worth a word.
    public static let tolerance: Int64 = 300
    /// At how many other times at most beacons are opened; devices whose clocks agree share one.
    public static let maximumCorrections = 4
    /// The latest time that is believed: the end of the year 9999.
    public static let latest: Int64 = 253_402_300_799

    private struct Peer: Sendable {
        /// What its clock shows at the uptime zero of this device.
        var origin: Int64
        /// The same when a change was last told as news.
        var told: Int64
        var cipher: BeaconCipher?
    }

    private var secret: CircleSecret?
    private var peers: [DeviceID: Peer] = [:]

    /// Of how many devices the clock is known.
    public var count: Int { peers.count }

    /// Nothing known of anybody.
    public init() {}

    /// The secret that beacons are opened with; nil without a circle.
    public mutating func secretChanged(_ secret: CircleSecret?) {
        guard secret != self.secret else { return }
        self.secret = secret
        for device in peers.keys { peers[device]?.cipher = secret.map { BeaconCipher(secret: $0) } }
    }

    /// Only members count.
    public mutating func membersChanged(_ members: Set<DeviceID>) {
        peers = peers.filter { members.contains($0.key) }
    }

    /// A device said what its clock shows: that counts from now on.
    ///
    /// - Returns: Whether that is news: it differs by more than ``tolerance`` from what was news
    ///   last, or from this device's clock if nothing was.
    public mutating func learnt(
        _ device: DeviceID, shows unixTime: Int64, at moment: BeaconAdvertiser.Moment
    ) -> Bool {
        guard (0...Self.latest).contains(unixTime) else { return false }
        let uptime = moment.uptime.components.seconds
        let origin = unixTime - uptime
        var peer =
            peers[device]
            ?? Peer(
                origin: origin, told: moment.unixTime - uptime, cipher: secret.map { BeaconCipher(secret: $0) })
        peer.origin = origin
        let isNews = abs(origin - peer.told) > Self.tolerance
        if isNews { peer.told = origin }
        peers[device] = peer
        return isNews
    }

    /// By how many seconds a device's clock is ahead of this one's; negative when it is behind; nil
    /// when it has not said.
    public func difference(of device: DeviceID, at moment: BeaconAdvertiser.Moment) -> Int64? {
        peers[device].map { time(of: $0, at: moment) - moment.unixTime }
    }

    /// The devices whose clocks differ by more than ``tolerance``, and by how many seconds.
    public func differences(at moment: BeaconAdvertiser.Moment) -> [DeviceID: Int64] {
        peers.keys.reduce(into: [:]) { result, device in
            if let seconds = difference(of: device, at: moment), abs(seconds) > Self.tolerance {
                result[device] = seconds
            }
        }
    }

    /// Whether some other device's clock shows what this one's does.
    public func isConfirmed(at moment: BeaconAdvertiser.Moment) -> Bool {
        peers.keys.contains { abs(difference(of: $0, at: moment) ?? .max) <= Self.tolerance }
    }

    /// Opens what a device sealed by a clock that differs, at that clock's time: only a beacon of a
    /// device whose clock differs as much, give or take ``tolerance``.
    public mutating func open(_ payload: [UInt8], at moment: BeaconAdvertiser.Moment) -> OpenedBeacon? {
        guard !peers.isEmpty else { return nil }
        let differences = differences(at: moment)
        for (device, seconds) in Self.corrections(differences) {
            guard let opened = peers[device]?.cipher?.open(payload, at: moment.unixTime + seconds),
                differences.contains(where: {
                    $0.key.short == opened.beacon.device && Self.agree($0.value, seconds)
                })
            else { continue }
            return opened
        }
        return nil
    }

    /// The devices among those whose clocks differ whose beacons are opened at their own time.
    public func corrected(at moment: BeaconAdvertiser.Moment) -> Set<DeviceID> {
        let differences = differences(at: moment)
        let corrections = Self.corrections(differences)
        return Set(
            differences.filter { entry in corrections.contains { Self.agree($0.seconds, entry.value) } }.keys)
    }

    /// The differences that are tried, each with the lowest of the devices that have it.
    private static func corrections(_ differences: [DeviceID: Int64]) -> [(device: DeviceID, seconds: Int64)] {
        var corrections: [(device: DeviceID, seconds: Int64)] = []
        for (device, seconds) in differences.sorted(by: { $0.key < $1.key }) {
            guard corrections.count < maximumCorrections else { break }
            if !corrections.contains(where: { agree($0.seconds, seconds) }) { corrections.append((device, seconds)) }
        }
        return corrections
    }

    private static func agree(_ first: Int64, _ second: Int64) -> Bool { abs(first - second) <= tolerance }

    private func time(of peer: Peer, at moment: BeaconAdvertiser.Moment) -> Int64 {
        peer.origin + moment.uptime.components.seconds
    }
}
