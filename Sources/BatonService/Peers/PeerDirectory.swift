// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport

/// What is remembered of the circle's other devices, each by itself: where they may be reached, and
/// when they were dialled for what somebody advertises in their names.
/// Nothing of it is written down.
struct PeerDirectory: Sendable {
    /// Between two dials of one device because of what it, or somebody in its name, advertises.
    static let syncInterval = Duration.seconds(600)
    /// After one for which this device had no descriptor.
    static let pauseWithoutDescriptors = Duration.seconds(30)
    /// How long the address of a hail, or of an advertisement by another clock, is tried.
    static let hailLifetime = Duration.seconds(60)
    /// How long a TCP address that a device told is tried.
    static let endpointLifetime = Duration.seconds(86_400)

    private struct Peer: Sendable {
        /// When it was last near or connected, in Unix seconds.
        var lastSeen: Int64?
        /// Where it said that it listens, until an uptime.
        var told: (endpoints: [Endpoint], until: Duration)?
        /// The host at which it proved itself last by TCP, be it dialled or dialling.
        var own: String?
        /// Where a hail came from, until an uptime.
        var hailed: (endpoint: Endpoint, until: Duration)?
        /// Where it seemed to be by another clock, and the uptime of the dial for that.
        var byClock: (endpoint: Endpoint, at: Duration)?
        /// The uptime at which it was last dialled, for it may not know the circle.
        var synced: Duration?
        /// The uptime at which it was last dialled because it hailed.
        var heeded: Duration?
        /// How often it is dialled because it seems to be near.
        var nearPace: DialPace?
        /// How soon it is dialled again after it was lost.
        var lossPace = LossPace()
    }

    private var peers: [DeviceID: Peer] = [:]

    /// How many devices something is known of.
    var count: Int { peers.count }

    /// Forgets who is not to be remembered.
    mutating func keep(where isMember: (DeviceID) -> Bool) { peers = peers.filter { isMember($0.key) } }

    // MARK: - When it was there

    /// When a device was last near or connected, in Unix seconds.
    func lastSeen(_ device: DeviceID) -> Int64? { peers[device]?.lastSeen }

    /// A device is near or connected.
    mutating func seen(_ device: DeviceID, at unixTime: Int64) { peers[device, default: Peer()].lastSeen = unixTime }

    // MARK: - Where it is

    /// A device says where it listens.
    mutating func told(_ device: DeviceID, _ endpoints: [Endpoint], at uptime: Duration) {
        guard !endpoints.isEmpty else {
            peers[device]?.told = nil
            return
        }
        peers[device, default: Peer()].told = (endpoints, uptime + Self.endpointLifetime)
    }

    /// A device hails from somewhere.
    mutating func hailed(by device: DeviceID, from endpoint: Endpoint, at uptime: Duration) {
        peers[device, default: Peer()].hailed = (endpoint, uptime + Self.hailLifetime)
    }

    /// Where a device said that it listens, as long as that is tried.
    func toldEndpoints(of device: DeviceID, at uptime: Duration) -> [Endpoint] {
        peers[device]?.told.flatMap { $0.until > uptime ? $0.endpoints : nil } ?? []
    }

    /// A device has proved itself at the other end of a channel over TCP.
    mutating func proved(_ device: DeviceID, at endpoint: Endpoint) {
        peers[device, default: Peer()].own = endpoint.address
    }

    /// Addresses of a device, those at which it proved itself last first: it may have told others
    /// that are not its own.
    func ownFirst(_ endpoints: [Endpoint], of device: DeviceID) -> [Endpoint] {
        let own = peers[device]?.own
        return endpoints.filter { $0.address == own } + endpoints.filter { $0.address != own }
    }

    /// Where on the radio a device seemed to be, as long as that is tried: where it hailed first.
    func radioEndpoints(of device: DeviceID, at uptime: Duration) -> [Endpoint] {
        let hailed = peers[device]?.hailed.flatMap { $0.until > uptime ? $0.endpoint : nil }
        let byClock = peers[device]?.byClock.flatMap { $0.at + Self.hailLifetime > uptime ? $0.endpoint : nil }
        return [hailed, byClock].compactMap(\.self)
    }

    // MARK: - Dials

    /// A device seems to be somewhere by another clock. It may be a replay: it is good for a dial
    /// in ``syncInterval``.
    ///
    /// Kept apart from what hails and beacons of now say, so that a replay stands in the way of
    /// neither.
    ///
    /// - Returns: Whether it is to be dialled.
    mutating func foundByClock(_ device: DeviceID, at endpoint: Endpoint, uptime: Duration) -> Bool {
        if let last = peers[device]?.byClock?.at, uptime - last < Self.syncInterval { return false }
        peers[device, default: Peer()].byClock = (endpoint, uptime)
        return true
    }

    /// A device may not know the circle as it is here.
    ///
    /// - Returns: Whether it is to be dialled: once in ``syncInterval``.
    mutating func beginSync(with device: DeviceID, at uptime: Duration) -> Bool {
        if let last = peers[device]?.synced, uptime - last < Self.syncInterval { return false }
        peers[device, default: Peer()].synced = uptime
        return true
    }

    /// A device hails, and says where it is: whether this one has tried to reach it elsewhere, and
    /// when, is no matter.
    ///
    /// - Returns: Whether it is to be dialled: once in ``syncInterval``.
    mutating func heedHail(of device: DeviceID, at uptime: Duration) -> Bool {
        if let last = peers[device]?.heeded, uptime - last < Self.syncInterval { return false }
        peers[device, default: Peer()].heeded = uptime
        return true
    }

    /// This device had no descriptor for a dial: it may be made in ``pauseWithoutDescriptors``, and
    /// not only after ``syncInterval``.
    mutating func wasNotDialled(_ device: DeviceID, at uptime: Duration) {
        allowDials(to: device, from: uptime + Self.pauseWithoutDescriptors)
    }

    /// A channel on which a device had proved itself ended without Goodbye. The dial that led to it
    /// was no replay's, so it does not count.
    ///
    /// - Returns: The uptime from which the device may be dialled again; nil when it was lost too
    ///   often (``LossPace``).
    mutating func lost(_ device: DeviceID, at uptime: Duration) -> Duration? {
        guard let due = peers[device, default: Peer()].lossPace.lost(at: uptime) else { return nil }
        allowDials(to: device, from: due)
        return due
    }

    /// The last dials to a device hold others back until an uptime at most.
    private mutating func allowDials(to device: DeviceID, from uptime: Duration) {
        let before = uptime - Self.syncInterval
        guard var peer = peers[device] else { return }
        peer.synced = peer.synced.map { min($0, before) }
        peer.heeded = peer.heeded.map { min($0, before) }
        peer.byClock = peer.byClock.map { ($0.endpoint, min($0.at, before)) }
        peers[device] = peer
    }

    /// The circle is another one: all may be dialled for it again.
    mutating func forgetSyncs() {
        for device in peers.keys {
            peers[device]?.synced = nil
            peers[device]?.heeded = nil
        }
    }

    /// A device seems to be near.
    ///
    /// - Returns: Whether it may be dialled for that now.
    mutating func beginNearDial(to device: DeviceID, at uptime: Duration) -> Bool {
        var pace = peers[device]?.nearPace ?? DialPace()
        let mayBeDialled = pace.dial(at: uptime)
        peers[device, default: Peer()].nearPace = pace
        return mayBeDialled
    }

    /// A device that seemed to be near was.
    mutating func nearDialSucceeded(_ device: DeviceID) { peers[device]?.nearPace = nil }

    /// This device is another one: nothing of what was dialled counts.
    mutating func forgetDials() {
        forgetSyncs()
        for device in peers.keys { peers[device]?.nearPace = nil }
    }
}
