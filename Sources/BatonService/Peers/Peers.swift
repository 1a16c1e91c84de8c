// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import Diagnosis

/// The other devices of the circle.
struct Peers {
    private var members: [DeviceID: Peer] = [:]
    var links = PeerLinks<PeerLink>()
    var dials = Dials<PeerLink>()
    var awaited = AwaitedDevices()
    var probes = Probes()
    var owedAcceptances = OwedAcceptances()
    var clocks = PeerClocks()
    var helloPace = HelloPace()
    /// The new names of former members. Members can still pass these names on, because the former
    /// members have signed them.
    private var formerNames = SpentTurns<DeviceID>(NamePace.limit)

    var count: Int { members.count }
    /// The facts that are remembered about all members.
    var all: some Collection<Peer> { members.values }

    /// Returns the number of entries in each table, by name.
    func counts(at uptime: Duration) -> [String: Int] {
        [
            "peers": count, "links": links.all.count, "openLinks": links.open.count, "dials": dials.count,
            "dialWaiters": dials.waiterCount, "pings": awaited.count, "owedAcceptances": owedAcceptances.count,
            "peerClocks": clocks.count, "streamGrants": all.count { !$0.streamGrants.isEmpty },
            "reappearancesAwaited": all.count(where: \.isReappearanceAwaited),
            "clockNewsOwed": all.count { $0.clockNews.deadline != nil },
            "tcpFailures": all.reduce(0) { $0 + $1.networkFailures.count },
            "newsJudged": all.count(where: \.news.isUsed), "namesHeld": all.count { $0.names.deadline != nil },
            "probes": probes.count + all.count { $0.probes.isInUse(at: uptime) },
        ]
    }

    /// The facts that are remembered about a member. Changes for a device that is not a member have
    /// no effect.
    subscript(device: DeviceID) -> Peer {
        get { members[device] ?? Peer(account: device) }
        set { if members[device] != nil { members[device] = newValue } }
    }

    /// Replaces the members. Keeps the facts about devices that were members before, and forgets
    /// those about others.
    ///
    /// - Parameter accounts: The accounts of those members that share the account of another
    ///   device.
    mutating func membersChanged(to devices: Set<DeviceID>, accounts: [DeviceID: DeviceID] = [:]) {
        let former = members
        members = [:]
        for device in devices {
            var peer = former[device] ?? Peer(account: device)
            peer.account = accounts[device] ?? device
            members[device] = peer
        }
        clocks.membersChanged(devices)
        owedAcceptances.membersChanged(devices)
    }

    /// Records that devices, which may be former members, have new names.
    mutating func renamed(_ devices: Set<DeviceID>, at uptime: Duration) {
        for device in devices {
            if members[device] != nil {
                self[device].names.renamed(at: uptime)
            } else {
                _ = formerNames.take(device, at: uptime)
            }
        }
    }

    /// Returns the devices whose next names have to wait.
    func devicesWithHeldNames(at uptime: Duration) -> Set<DeviceID> {
        devices { $0.names.isHeld(at: uptime) }.union(formerNames.waiting(at: uptime))
    }

    /// Changes the facts that are remembered about each member.
    mutating func changeAll(_ change: (inout Peer) -> Void) {
        for device in members.keys { change(&self[device]) }
    }

    /// Changes the facts that are remembered about each member, in the order of the members' ids.
    ///
    /// - Returns: The results that are not nil, with their devices.
    mutating func takeFromAll<Result>(_ take: (inout Peer) -> Result?) -> [(device: DeviceID, result: Result)] {
        members.keys.sorted().compactMap { device in take(&self[device]).map { (device, $0) } }
    }

    /// Returns the members for which a condition holds.
    func devices(where condition: (Peer) -> Bool) -> Set<DeviceID> {
        Set(members.filter { condition($0.value) }.keys)
    }

    /// Returns whether to judge a member's news now. If not, the news arrives again with the next
    /// hello.
    ///
    /// - Parameters:
    ///   - news: The member's news of the circle.
    ///   - circle: The circle as this device knows it, encoded.
    mutating func judges(
        _ news: [UInt8], of device: DeviceID, against circle: [UInt8], at uptime: Duration
    ) -> Bool {
        if news == circle { return true }
        guard members[device] != nil, !self[device].news.wereJudged(news, against: circle) else { return false }
        return self[self[device].account].news.use.take(at: uptime)
    }

    /// Returns whether a member may ask for streams to an activity now.
    mutating func mayAskForStreams(_ device: DeviceID, of instance: [UInt8], at uptime: Duration) -> Bool {
        let peer = self[device]
        return peer.streamGrants.isUnused(instance) || self[peer.account].streamGrants.use.take(at: uptime)
    }

    /// Returns the findings about members with which TCP connections have failed.
    func networkFindings(at uptime: Duration, name: (DeviceID) -> String) -> [Finding] {
        members.sorted { $0.key < $1.key }
            .flatMap { device, peer in peer.networkFailures.findings(at: uptime, of: name(device)) }
    }
}
