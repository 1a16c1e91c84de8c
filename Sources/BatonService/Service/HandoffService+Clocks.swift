// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport
import Diagnosis
import FoundationEssentials
import Logging

/// Finds members whose clocks differ, reports the difference, and reads their beacons at their own
/// time.
extension HandoffService {
    /// The earliest time that a correct clock can show: 2023-01-01T00:00:00Z.
    static let earliestTime: Int64 = 1_672_531_200

    /// The earliest time that this device's clock can show. It is the last contact with a member,
    /// less a tolerance for clocks that are set back a little.
    var notBefore: Int64 { max(Self.earliestTime, store.state.inTouch - PeerClocks.tolerance) }

    /// Updates the keys with which the beacons of members are opened.
    func clockKeysChanged(_ circle: Circle?) {
        sightings.hailListener.keysChanged(keyring.keys)
        sightings.clockSearch.keysChanged(circle?.secret, pairwise: keyring.keys)
        peers.clocks.secretChanged(circle?.secret)
        let members = Set(circle?.roster.members.keys ?? [:].keys)
        peers.clocks.membersChanged(members)
        peers.clockNews.membersChanged(members)
        searchClocks()
    }

    /// Handles an advertisement that neither the circle's secret nor a member's key opens at any
    /// member's time.
    func heardAtNoTime(_ sighting: Sighting) {
        sightings.clockSearch.heard(sighting.payload, at: sighting.address)
        searchClocks()
    }

    /// Searches the unopened beacons for devices whose clocks are wrong.
    func searchClocks() {
        guard !lifecycle.isStopping else { return }
        if let hit = sightings.clockSearch.step(at: clock.unixTime, uptime: clock.uptime, notBefore: notBefore) {
            found(hit)
        }
        let deadline = sightings.clockSearch.nextDeadline(at: clock.unixTime, notBefore: notBefore)
        schedule(.clocks, at: deadline)
    }

    /// Dials a device whose beacon opens at another time. The beacon proves little, because it may
    /// be a replay.
    private func found(_ hit: ClockSearch.Hit) {
        guard hit.psm != 0, let device = member(short: hit.device), device != identity.id else { return }
        let endpoint = radio.endpoint(hit.address, port: UInt16(hit.psm))
        guard peers.directory.foundByClock(device, at: endpoint, uptime: clock.uptime) else { return }
        logger.debug("\(device) advertises by a clock that differs")
        dialToSync(device)
    }

    /// Records a member's clock from its hello. If the clock has changed, sends it this device's
    /// time.
    func learnClock(of device: DeviceID, from hello: Hello) async {
        if learnt(hello.unixTime, of: device) { await tellTime(to: device) }
    }

    /// Records the clock of a device that came into one circle with this one, from its Joined
    /// frame. The device has got this device's time in the same way.
    func learnClock(of device: DeviceID, from joined: [UInt8]) {
        guard isMember(device), let time = JoinedTime(bytes: joined) else { return }
        _ = learnt(time.unixTime, of: device)
    }

    /// Records a device's clock. Returns whether a change was acted on now.
    private func learnt(_ unixTime: Int64, of device: DeviceID) -> Bool {
        guard peers.clocks.learnt(device, shows: unixTime, at: moment) else { return false }
        let isNow = peers.clockNews.changed(device, at: clock.uptime)
        schedule(.clockNews, at: peers.clockNews.deadline)
        if isNow { clockChanged(device) }
        return isNow
    }

    /// Acts on changes of clocks that had to wait because they came soon after others.
    func tellClockNews() async {
        let devices = peers.clockNews.takeDue(at: clock.uptime)
        schedule(.clockNews, at: peers.clockNews.deadline)
        for device in devices {
            clockChanged(device)
            await tellTime(to: device)
        }
    }

    private func clockChanged(_ device: DeviceID) {
        if let seconds = peers.clocks.differences(at: moment)[device] {
            logger.notice(
                "\(Self.difference(seconds, of: name(of: device)))", metadata: [LogMetadata.cause: "\(device)"])
        }
        hearAgain(sightings.clockSearch.unopened)
    }

    /// Sends this device's time to a device, which may not know it yet.
    private func tellTime(to device: DeviceID) async {
        for link in peers.links.all where link.device == device { await link.tell(hello()) }
    }

    /// Handles advertisements again that could not be opened before. A radio reports each
    /// advertisement only once.
    func hearAgain(_ unopened: [String: [UInt8]]) {
        for (address, payload) in unopened {
            sighted(Sighting(address: address, payload: payload, signal: nil))
        }
    }

    /// The findings about clocks.
    var clockFindings: [Finding] {
        var findings: [Finding] = []
        if clock.unixTime < notBefore, !peers.clocks.isConfirmed(at: moment) {
            let shown = Date(timeIntervalSince1970: TimeInterval(clock.unixTime)).formatted(
                .iso8601.year().month().day())
            let why =
                clock.unixTime < Self.earliestTime
                ? "which cannot be" : "which is before another laptop was last in touch"
            findings.append(
                Finding(
                    .clockWrong, "this laptop's clock shows \(shown), \(why); set it (timedatectl set-ntp true)",
                    command: "timedatectl set-ntp true"))
        }
        let corrected = peers.clocks.corrected(at: moment)
        for (device, seconds) in peers.clocks.differences(at: moment).sorted(by: { $0.key < $1.key }) {
            let outcome = corrected.contains(device) ? "Baton allows for it, but set" : "its offers may not come; set"
            let difference = Self.difference(seconds, of: name(of: device))
            findings.append(Finding(.clockDiffers, "\(difference); \(outcome) the one that is wrong (timedatectl)"))
        }
        return findings
    }

    private static func difference(_ seconds: Int64, of name: String) -> String {
        "the clock of \(name) is \(duration(abs(seconds))) \(seconds > 0 ? "ahead of" : "behind") this laptop's"
    }

    /// Returns a duration in its largest unit, rounded.
    private static func duration(_ seconds: Int64) -> String {
        let units: [(Int64, String)] = [(31_557_600, "year"), (86_400, "day"), (3_600, "hour"), (60, "minute")]
        // A few seconds less than an hour still count as an hour.
        let (unit, word) = units.first { seconds + $0.0 / 60 >= $0.0 } ?? (60, "minute")
        let count = (seconds + unit / 2) / unit
        return "\(count) \(word)\(count == 1 ? "" : "s")"
    }
}
