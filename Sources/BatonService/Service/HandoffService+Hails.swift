// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport
import Logging
import TraceModel

/// Keeping up with members that do not know the circle as it is here, or that know it better.
/// When each is hailed is `HailSchedule`'s affair; what is on the air, `AdvertisementSlot`'s.
extension HandoffService {
    /// Without a member in touch for so long, this device assumes that it may have missed
    /// something. In seconds.
    static let outOfTouchAfter: Int64 = 86_400

    /// Members that may not know the circle as it is here.
    var unacknowledged: Set<DeviceID> {
        Set(circle?.roster.members.keys ?? [:].keys).subtracting(store.state.acknowledged).subtracting([identity.id])
    }

    private var others: Set<DeviceID> { Set(circle?.roster.members.keys ?? [:].keys).subtracting([identity.id]) }

    /// Whom to hail, by and by.
    private var hailed: Set<DeviceID> { (isAlone ? others : unacknowledged).union(peers.awaited.hailed) }

    private var isAlone: Bool {
        let passed = clock.unixTime.subtractingReportingOverflow(store.state.inTouch)
        return passed.overflow || !(0..<Self.outOfTouchAfter).contains(passed.partialValue)
    }

    /// The circle, or who knows it, may have changed.
    func hailsChanged() async {
        hailTargetsChanged()
        for device in unacknowledged.sorted() where !peers.links.leads(to: device) { syncIfNeeded(with: device) }
        await hail()
    }

    /// Puts on the air whom to hail now, or what is advertised otherwise.
    func hail() async {
        // First: while this waits, another hail may be chosen.
        let psm = await reachability.listeners.psm()
        guard !lifecycle.isStopping else { return }
        advertising.hails.activityChanged(
            isAdvertised: advertising.advertiser?.current.offered != nil, at: clock.uptime)
        // Who is looked for is to be heard, and hails later.
        let device = isProbed ? nil : advertising.hails.device(at: clock.uptime)
        let own = Beacon(device: identity.id.short, activity: .none, flags: [], sequence: 0, psm: psm)
        let bytes = psm == 0 ? nil : device.flatMap { sightings.hailListener.seal(own, to: $0, at: clock.unixTime) }
        let hail = device.flatMap { device in bytes.map { AdvertisementSlot.Hail(device: device, bytes: $0) } }
        if advertising.slot.hail(hail) {
            if let hail { logger.debug("hailing \(hail.device)") }
            await air()
        }
        noteHail()
        // Looked at once an hour at least: loneliness comes with the wall clock.
        let hour = clock.uptime + .seconds(3_600)
        // The end of a probe is told, and not waited for again and again.
        let next = isProbed ? nil : advertising.hails.nextDeadline
        let deadline = others.isEmpty ? nil : min(next ?? hour, hour)
        schedule(.hails, at: deadline)
    }

    /// Who waits for a device learns that its hail is on the air, if it is.
    func noteHail() {
        if let device = advertising.slot.hailed { peers.awaited.hailAired(device) }
    }

    func hailTimePassed() async {
        hailTargetsChanged()
        await hail()
    }

    private func hailTargetsChanged() {
        advertising.hails.tellsRemoval = circle?.roster.hasRemovals ?? false
        advertising.hails.targetsChanged(hailed, awaited: peers.awaited.hailed, at: clock.uptime)
    }

    /// An advertisement that the circle's secret does not open.
    func heardUnopened(_ sighting: Sighting) {
        guard
            let (device, beacon) = sightings.hailListener.received(
                sighting.payload, at: clock.unixTime, uptime: clock.uptime)
        else { return heardAtNoTime(sighting) }
        sightings.clockSearch.forget(sighting.address)
        guard beacon.psm != 0 else { return }
        logger.debug("hailed by \(device)")
        trace.record(.radio, "hailed", [traced(device)])
        let endpoint = radio.endpoint(sighting.address, port: UInt16(beacon.psm))
        peers.directory.hailed(by: device, from: endpoint, at: clock.uptime)
        guard !lifecycle.isStopping, device != identity.id, peers.directory.heedHail(of: device, at: clock.uptime)
        else { return }
        dialToSync(device)
    }

    func syncIfNeeded(withShort short: UInt32) {
        guard let device = member(short: short), unacknowledged.contains(device) else { return }
        syncIfNeeded(with: device)
    }

    private func syncIfNeeded(with device: DeviceID) {
        if !peers.links.leads(to: device), !endpoints(of: device).isEmpty { sync(with: device) }
    }

    /// Says hello to a device, and hears it, unless that was tried a short while ago.
    private func sync(with device: DeviceID) {
        guard !lifecycle.isStopping, device != identity.id, peers.directory.beginSync(with: device, at: clock.uptime)
        else { return }
        dialToSync(device)
    }

    /// Dials a device whose connection was lost, after a pause, if it still does not know the
    /// circle.
    func redial(afterLossOf device: DeviceID) {
        guard !lifecycle.isStopping, isMember(device),
            let due = peers.directory.lost(device, at: clock.uptime)
        else { return }
        background.begin { [clock] in
            guard (try? await clock.sleep(until: due)) != nil else { return }
            await self.syncIfNeeded(withShort: device.short)
        }
    }

    private func wasNotDialled(_ device: DeviceID) { peers.directory.wasNotDialled(device, at: clock.uptime) }

    func dialToSync(_ device: DeviceID) {
        background.begin { [logger] in
            do {
                let known = await self.peers.links.to(device)
                let link = try await self.link(to: device)
                // A new one begins with what there is to say.
                if known.contains(where: { $0 === link }) { await link.tell(await self.hello()) }
            } catch {
                if (error as? HandoffError)?.isUntried == true { await self.wasNotDialled(device) }
                logger.debug("\(device) could not be told of the circle: \(error)")
            }
        }
    }
}
