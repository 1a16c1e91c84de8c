// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport
import Diagnosis
import FoundationEssentials
import Logging
import Wording

/// Finds members whose clocks differ, reports the difference, and opens their beacons at the time
/// of their own clocks.
extension HandoffService {
    /// Updates the keys with which the beacons of members are opened.
    func clockKeysChanged(_ circle: Circle?) {
        let keys = keyring.keys
        sightings.keysChanged(circle?.secret, pairwise: keys)
        carryOut(lan.keysChanged(circle?.secret, pairwise: keys, store.state, at: moment))
        peers.clocks.secretChanged(circle?.secret)
        searchClocks()
    }

    /// Opens an advertisement or a datagram at this device's time, or else at that of a member
    /// whose clock differs.
    func open(_ sealed: [UInt8], at now: BeaconAdvertiser.Moment) -> OpenedBeacon? {
        advertising.keys.open(sealed, at: now.unixTime) ?? peers.clocks.open(sealed, at: now)
    }

    /// Repeats the searches that have ended, because a member may have come into reach, or because
    /// a person waits for a member.
    func searchClocksAgain() {
        sightings.searchClocksAgain()
        searchClocks()
        carryOut(lan.searchClocksAgain(store.state, at: moment))
    }

    /// Searches the unopened beacons for devices whose clocks are wrong.
    func searchClocks() {
        guard !lifecycle.isStopping else { return }
        if let hit = sightings.searchClocks(store.state, at: moment) { found(hit) }
        let deadline = sightings.clockSearch.nextDeadline(at: clock.unixTime, notBefore: store.state.notBefore)
        schedule(.clocks, at: deadline)
    }

    /// Dials a device whose beacon opens at another time. The beacon proves little, because it may
    /// be a replay.
    private func found(_ hit: ClockSearch.Hit) {
        guard hit.psm != 0, let device = member(short: hit.device), device != identity.id else { return }
        let endpoint = radio.endpoint(hit.address, port: UInt16(hit.psm))
        guard peers[device].foundByClock(at: endpoint, uptime: clock.uptime) else { return }
        logger.debug("\(device) advertises by a clock that differs")
        dialToSync(device)
    }

    /// Records a member's clock from its hello. If the clock has changed, sends the member this
    /// device's time.
    func learnClock(of device: DeviceID, from hello: Hello) {
        if learnt(hello.unixTime, of: device) { tellTime(to: device) }
    }

    /// Records a device's clock from its Joined frame, after both devices have come into one
    /// circle. The other device gets this device's time in the same way.
    func learnClock(of device: DeviceID, from joined: [UInt8]) {
        guard isMember(device), let time = JoinedTime(bytes: joined) else { return }
        _ = learnt(time.unixTime, of: device)
    }

    /// Records a device's clock. Returns whether a change was acted on now.
    private func learnt(_ unixTime: Int64, of device: DeviceID) -> Bool {
        guard peers.clocks.learnt(device, shows: unixTime, at: moment) else { return false }
        let isNow = peers[device].clockNews.changed(at: clock.uptime)
        schedule(.clockNews, at: peers.all.compactMap(\.clockNews.deadline).min())
        if isNow { clockChanged(device) }
        return isNow
    }

    /// Acts on changes of clocks that had to wait because they came soon after others.
    func tellClockNews() {
        let due = peers.takeFromAll { $0.clockNews.takeDue(at: clock.uptime) ? () : nil }
        schedule(.clockNews, at: peers.all.compactMap(\.clockNews.deadline).min())
        for (device, _) in due {
            clockChanged(device)
            tellTime(to: device)
        }
    }

    private func clockChanged(_ device: DeviceID) {
        if let finding = peers.clocks.finding(of: device, store.state, at: moment) {
            logger.notice(
                "\(finding.text(on: .terminal, in: .english))", metadata: [LogMetadata.cause: "\(device)"])
        }
        hearAgain(sightings.clockSearch.unopened)
    }

    /// Sends this device's time to a device, because that device perhaps does not know the time
    /// yet.
    private func tellTime(to device: DeviceID) {
        for link in peers.links.all where link.device == device { link.tell(helloForOne()) }
    }

    /// Tries again to open advertisements that no key opened before. A radio reports each
    /// advertisement only once.
    func hearAgain(_ unopened: [String: [UInt8]]) {
        for (address, payload) in unopened {
            sighted(Sighting(address: address, payload: payload, signal: nil))
        }
    }
}
