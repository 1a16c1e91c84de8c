// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport

/// The known addresses of the circle's other devices, and the times of dials to them.
///
/// An advertisement may be a stranger's copy, so advertisements must not cause dials without limit.
/// Nothing of this is stored on disk.
struct PeerDirectory: Sendable {
    /// The time between two dials of one device that its advertisements, or copies of them, caused.
    static let syncInterval = Duration.seconds(600)
    /// The time until the next dial if this device had no free descriptor for the last one.
    static let pauseWithoutDescriptors = Duration.seconds(30)
    /// How long this device dials an address that a hail, or another clock's beacon, came from.
    static let hailLifetime = Duration.seconds(60)
    /// How long this device dials a TCP address that a device has sent.
    static let endpointLifetime = Duration.seconds(86_400)

    private struct Peer: Sendable {
        /// When the device was last near or connected, in Unix seconds.
        var lastSeen: Int64?
        /// The endpoints that the device has sent, and the uptime until which they are dialled.
        var told: (endpoints: [Endpoint], until: Duration)?
        /// The host at which the device last proved its identity by TCP, whichever side dialled.
        var own: String?
        /// The endpoint from which the device hailed, and the uptime until which it is dialled.
        var hailed: (endpoint: Endpoint, until: Duration)?
        /// The endpoint of a beacon with another clock's time, and the uptime of the dial for it.
        var byClock: (endpoint: Endpoint, at: Duration)?
        /// The uptime of the last dial because the device may not know the current circle.
        var synced: Duration?
        /// The uptime of the last dial because the device hailed.
        var heeded: Duration?
        /// Limits the dials of the device because it seems to be near.
        var nearPace: DialPace?
        /// Limits the dials of the device after its connection was lost.
        var lossPace = LossPace()
    }

    private var peers: [DeviceID: Peer] = [:]

    /// The number of devices in the directory.
    var count: Int { peers.count }

    /// Forgets devices that are not members of the circle.
    mutating func keep(where isMember: (DeviceID) -> Bool) { peers = peers.filter { isMember($0.key) } }

    // MARK: - Presence

    /// Returns when a device was last near or connected, in Unix seconds.
    func lastSeen(_ device: DeviceID) -> Int64? { peers[device]?.lastSeen }

    /// Records that a device is near or connected.
    mutating func seen(_ device: DeviceID, at unixTime: Int64) { peers[device, default: Peer()].lastSeen = unixTime }

    // MARK: - Addresses

    /// Records the endpoints at which a device says that it listens.
    mutating func told(_ device: DeviceID, _ endpoints: [Endpoint], at uptime: Duration) {
        guard !endpoints.isEmpty else {
            peers[device]?.told = nil
            return
        }
        peers[device, default: Peer()].told = (endpoints, uptime + Self.endpointLifetime)
    }

    /// Records the endpoint from which a device hails.
    mutating func hailed(by device: DeviceID, from endpoint: Endpoint, at uptime: Duration) {
        peers[device, default: Peer()].hailed = (endpoint, uptime + Self.hailLifetime)
    }

    /// Returns the endpoints that a device has sent, unless they are too old.
    func toldEndpoints(of device: DeviceID, at uptime: Duration) -> [Endpoint] {
        peers[device]?.told.flatMap { $0.until > uptime ? $0.endpoints : nil } ?? []
    }

    /// Records that a device has proved its identity at the other end of a TCP channel.
    mutating func proved(_ device: DeviceID, at endpoint: Endpoint) {
        peers[device, default: Peer()].own = endpoint.address
    }

    /// Returns a device's endpoints, beginning with those at which it last proved its identity. A
    /// device may have sent addresses that are not its own.
    func ownFirst(_ endpoints: [Endpoint], of device: DeviceID) -> [Endpoint] {
        let own = peers[device]?.own
        return endpoints.filter { $0.address == own } + endpoints.filter { $0.address != own }
    }

    /// Returns the radio endpoints from which a device recently hailed or advertised.
    ///
    /// The endpoint of the hail comes first.
    func radioEndpoints(of device: DeviceID, at uptime: Duration) -> [Endpoint] {
        let hailed = peers[device]?.hailed.flatMap { $0.until > uptime ? $0.endpoint : nil }
        let byClock = peers[device]?.byClock.flatMap { $0.at + Self.hailLifetime > uptime ? $0.endpoint : nil }
        return [hailed, byClock].compactMap(\.self)
    }

    // MARK: - Dials

    /// Records an advertisement of a device with another clock's time. It may be a replay, so it
    /// causes one dial in ``syncInterval``.
    ///
    /// It is kept apart from hails and current beacons, so that a replay delays neither.
    ///
    /// - Returns: Whether to dial the device.
    mutating func foundByClock(_ device: DeviceID, at endpoint: Endpoint, uptime: Duration) -> Bool {
        if let last = peers[device]?.byClock?.at, uptime - last < Self.syncInterval { return false }
        peers[device, default: Peer()].byClock = (endpoint, uptime)
        return true
    }

    /// Records that a device may not know the current circle.
    ///
    /// - Returns: Whether to dial it, which is at most once in ``syncInterval``.
    mutating func beginSync(with device: DeviceID, at uptime: Duration) -> Bool {
        if let last = peers[device]?.synced, uptime - last < Self.syncInterval { return false }
        peers[device, default: Peer()].synced = uptime
        return true
    }

    /// Records a hail of a device. Earlier dials at other addresses do not count against it.
    ///
    /// - Returns: Whether to dial the device, which is at most once in ``syncInterval``.
    mutating func heedHail(of device: DeviceID, at uptime: Duration) -> Bool {
        if let last = peers[device]?.heeded, uptime - last < Self.syncInterval { return false }
        peers[device, default: Peer()].heeded = uptime
        return true
    }

    /// Allows another dial after ``pauseWithoutDescriptors`` instead of ``syncInterval``.
    ///
    /// This device had no free descriptor for the last dial.
    mutating func wasNotDialled(_ device: DeviceID, at uptime: Duration) {
        allowDials(to: device, from: uptime + Self.pauseWithoutDescriptors)
    }

    /// Records that a device's channel ended without Goodbye. The device had proved its identity on
    /// it, so the dial was not caused by a replay and does not count.
    ///
    /// - Returns: The uptime from which the device may be dialled again, or nil if its connection
    ///   was lost too often (``LossPace``).
    mutating func lost(_ device: DeviceID, at uptime: Duration) -> Duration? {
        guard let due = peers[device, default: Peer()].lossPace.lost(at: uptime) else { return nil }
        allowDials(to: device, from: due)
        return due
    }

    /// Lets the last dials to a device delay others until an uptime at most.
    private mutating func allowDials(to device: DeviceID, from uptime: Duration) {
        let before = uptime - Self.syncInterval
        guard var peer = peers[device] else { return }
        peer.synced = peer.synced.map { min($0, before) }
        peer.heeded = peer.heeded.map { min($0, before) }
        peer.byClock = peer.byClock.map { ($0.endpoint, min($0.at, before)) }
        peers[device] = peer
    }

    /// Allows dials to all devices again, because the circle has changed.
    mutating func forgetSyncs() {
        for device in peers.keys {
            peers[device]?.synced = nil
            peers[device]?.heeded = nil
        }
    }

    /// Records that a device seems to be near.
    ///
    /// - Returns: Whether to dial it now.
    mutating func beginNearDial(to device: DeviceID, at uptime: Duration) -> Bool {
        var pace = peers[device]?.nearPace ?? DialPace()
        let mayBeDialled = pace.dial(at: uptime)
        peers[device, default: Peer()].nearPace = pace
        return mayBeDialled
    }

    /// Removes the limit on dials to a device that seemed to be near and has answered.
    mutating func nearDialSucceeded(_ device: DeviceID) { peers[device]?.nearPace = nil }

    /// Forgets all dials, because this device has a new identity.
    mutating func forgetDials() {
        forgetSyncs()
        for device in peers.keys { peers[device]?.nearPace = nil }
    }
}
