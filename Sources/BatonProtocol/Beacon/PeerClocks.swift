// SPDX-License-Identifier: Apache-2.0

/// The clocks of the circle's other devices, as reported inside TLS, for opening their beacons and
/// datagrams.
///
/// Baton sets no clock, and does not assume that any clock is right. Each device's beacons are
/// opened by that device's clock, so a wrong clock affects only that device's own beacons.
/// Documentation/Protocol/Beacon.md, "Clocks".
public struct PeerClocks: Sendable {
    /// The largest difference between two clocks, in seconds, that is neither corrected nor
    /// reported.
    public static let tolerance: Int64 = 300
    /// The maximum number of clocks, besides this device's own, by which beacons are opened.
    ///
    /// Members whose clocks agree count once.
    public static let maximumCorrections = 4
    /// The latest time that is accepted: the end of the year 9999.
    public static let latest: Int64 = 253_402_300_799

    private struct Peer: Sendable {
        /// The time of the peer's clock at this device's uptime zero.
        var origin: Int64
        /// The value of ``origin`` that was last reported as news; at first, the origin of this
        /// device's clock.
        var told: Int64
        var ciphers: [BeaconForm: BeaconCipher]
    }

    private var secret: CircleSecret?
    private var peers: [DeviceID: Peer] = [:]

    /// The number of devices whose clock is known.
    public var count: Int { peers.count }

    /// Creates an empty collection.
    public init() {}

    /// Sets the secret that opens beacons; nil without a circle.
    public mutating func secretChanged(_ secret: CircleSecret?) {
        guard secret != self.secret else { return }
        self.secret = secret
        for device in peers.keys { peers[device]?.ciphers = .init(of: secret) }
    }

    /// Forgets the clocks of devices that are not members.
    public mutating func membersChanged(_ members: Set<DeviceID>) {
        peers = peers.filter { members.contains($0.key) }
    }

    /// Records the time of a device's clock.
    ///
    /// - Returns: Whether the time is news. It is news if it differs by more than ``tolerance``
    ///   from the last news, or from this device's clock if there was no news yet.
    public mutating func learnt(
        _ device: DeviceID, shows unixTime: Int64, at moment: BeaconAdvertiser.Moment
    ) -> Bool {
        guard (0...Self.latest).contains(unixTime) else { return false }
        let uptime = moment.uptime.components.seconds
        let origin = unixTime - uptime
        var peer =
            peers[device]
            ?? Peer(origin: origin, told: moment.unixTime - uptime, ciphers: .init(of: secret))
        peer.origin = origin
        let isNews = abs(origin - peer.told) > Self.tolerance
        if isNews { peer.told = origin }
        peers[device] = peer
        return isNews
    }

    /// Returns how many seconds a device's clock is ahead of this device's clock.
    ///
    /// The result is negative if that clock is behind, and nil if its time is unknown.
    public func difference(of device: DeviceID, at moment: BeaconAdvertiser.Moment) -> Int64? {
        peers[device].map { time(of: $0, at: moment) - moment.unixTime }
    }

    /// Returns the devices whose clocks differ by more than ``tolerance``, with the seconds.
    public func differences(at moment: BeaconAdvertiser.Moment) -> [DeviceID: Int64] {
        peers.keys.reduce(into: [:]) { result, device in
            if let seconds = difference(of: device, at: moment), abs(seconds) > Self.tolerance {
                result[device] = seconds
            }
        }
    }

    /// Returns whether some other device's clock agrees with this device's clock.
    public func isConfirmed(at moment: BeaconAdvertiser.Moment) -> Bool {
        peers.keys.contains { abs(difference(of: $0, at: moment) ?? .max) <= Self.tolerance }
    }

    /// Opens a beacon or a datagram by another device's clock, if that clock differs from this
    /// device's clock.
    ///
    /// At most ``maximumCorrections`` clocks are tried. The beacon must come from a device whose
    /// own clock differs by the same amount, within ``tolerance``.
    public mutating func open(_ payload: [UInt8], at moment: BeaconAdvertiser.Moment) -> OpenedBeacon? {
        guard !peers.isEmpty else { return nil }
        let differences = differences(at: moment)
        for (device, seconds) in Self.corrections(differences) {
            guard let opened = peers[device]?.ciphers.open(payload, at: moment.unixTime + seconds),
                differences.contains(where: {
                    $0.key.short == opened.beacon.device && Self.agree($0.value, seconds)
                })
            else { continue }
            return opened
        }
        return nil
    }

    /// Returns the devices whose beacons are opened by their own clocks, because their clocks
    /// differ from this device's clock.
    public func corrected(at moment: BeaconAdvertiser.Moment) -> Set<DeviceID> {
        let differences = differences(at: moment)
        let corrections = Self.corrections(differences)
        return Set(
            differences.filter { entry in corrections.contains { Self.agree($0.seconds, entry.value) } }.keys)
    }

    /// Returns the differences to try, each with the device that has the lowest id among those with
    /// this difference.
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
