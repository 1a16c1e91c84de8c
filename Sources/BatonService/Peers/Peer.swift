// SPDX-License-Identifier: Apache-2.0

import BatonProtocol

/// The facts that this device remembers about another member of its circle, in memory only.
///
/// This value exists for as long as the device is a member (``Peers``).
struct Peer: Sendable {
    /// The device whose limits this member shares, which for most members is the member itself
    /// (``Roster/accounts(besides:)``).
    var account: DeviceID
    /// When the device was last near or connected, in Unix seconds; nil if neither has happened
    /// since this program started.
    var lastSeen: Int64?
    var addresses = PeerAddresses()
    /// When the device may be dialled although no program of this device asks for it.
    var dialTurns = DialTurns()
    var networkFailures = NetworkFailures()
    var names = NamePace()
    var news = NewsPace()
    var clockNews = ClockNewsPace()
    /// The activities that the device has fetched from this device without taking them over.
    var fetches = UnacceptedFetches()
    var earlyAcceptances = EarlyAcceptances()
    var streamGrants = StreamGrants()
    /// How often the device has probed this device.
    var probes = LimitUse(Probes.limit)
    private var reappearance: Waiters<Void>?

    init(account: DeviceID) { self.account = account }

    /// Whether tasks wait for the device to be heard at a new address.
    var isReappearanceAwaited: Bool { reappearance != nil }

    /// Adds a waiter for the next time that the device is heard at a new address.
    ///
    /// The address at which the device was dialled may never work again, because a device uses a
    /// new private address after its connection broke.
    ///
    /// - Returns: The waiters to resolve when the device is heard.
    mutating func nextReappearance() -> Waiters<Void> {
        let waiters = reappearance ?? Waiters()
        reappearance = waiters
        return waiters
    }

    /// Wakes the tasks that wait for the device, because it was heard at a new address.
    mutating func reappeared() {
        reappearance?.resolve(with: .success(()))
        reappearance = nil
    }

    /// Records an advertisement of the device with another clock's time. The advertisement may be a
    /// replay, so it causes at most one dial per ``DialTurns/syncInterval``.
    ///
    /// - Returns: Whether to dial the device.
    mutating func foundByClock(at endpoint: Endpoint, uptime: Duration) -> Bool {
        guard dialTurns.takeByClock(at: uptime) else { return false }
        addresses.foundByClock(at: endpoint, uptime: uptime)
        return true
    }
}
