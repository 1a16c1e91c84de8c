// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport
import Logging
import TraceModel

/// Exchanges news with members that do not know the present circle, or that know a newer one.
/// `HailSchedule` decides when to hail each member, and `AdvertisementSlot` decides what is on the
/// air.
extension HandoffService {
    /// The devices to hail, one after the other.
    var hailed: Set<DeviceID> {
        let state = store.state
        return (state.isAlone(at: clock.unixTime) ? state.others : state.unacknowledged).union(peers.awaited.hailed)
    }

    /// Updates hails and dials after a change of the circle, or of the members that know it.
    func hailsChanged() {
        hailTargetsChanged()
        for device in store.state.unacknowledged.sorted() where !peers.links.leads(to: device) {
            syncIfNeeded(with: device)
        }
        hail()
    }

    /// Puts the hail that is due on the air, or else the ordinary advertisement.
    func hail() {
        guard !lifecycle.isStopping else { return }
        let own = Beacon(device: identity.id.short, activity: .none, flags: [], sequence: 0, psm: reachability.psm)
        // During a probe this device's beacon must be heard, so hails wait.
        let isNew = advertising.hail(mayHail: !isProbed, at: clock.uptime) {
            own.psm == 0 ? nil : sightings.sealHail(own, to: $0, at: clock.unixTime)
        }
        if isNew { air() }
        noteHail()
        // Check at least once an hour, because `isAlone` depends on the wall clock.
        let hour = clock.uptime + .seconds(3_600)
        // Set no deadline during a probe, because the end of the probe calls this function.
        let next = isProbed ? nil : advertising.hails.nextDeadline
        let deadline = store.state.others.isEmpty ? nil : min(next ?? hour, hour)
        schedule(.hails, at: deadline)
    }

    /// If a hail is on the air, records that for the programs that wait for the hailed device.
    func noteHail() {
        if let device = advertising.slot.hailed { peers.awaited.hailAired(device) }
    }

    func hailTimePassed() {
        hailTargetsChanged()
        hail()
    }

    private func hailTargetsChanged() {
        advertising.hailTargetsChanged(
            to: hailed, awaited: peers.awaited.hailed, tellsRemoval: circle?.roster.hasRemovals ?? false,
            at: clock.uptime)
    }

    /// Handles a member's hail to this device.
    func hailed(by device: DeviceID, _ beacon: Beacon, at address: String) {
        guard beacon.psm != 0 else { return }
        logger.debug("hailed by \(device)")
        trace.record(.radio, "hailed", [traced(device)])
        let endpoint = radio.endpoint(address, port: UInt16(beacon.psm))
        peers[device].addresses.hailed(from: endpoint, at: clock.uptime)
        guard !lifecycle.isStopping, device != identity.id, peers[device].dialTurns.takeHail(at: clock.uptime)
        else { return }
        dialToSync(device)
    }

    func syncIfNeeded(withShort short: UInt32) {
        guard let device = member(short: short), store.state.unacknowledged.contains(device) else { return }
        syncIfNeeded(with: device)
    }

    private func syncIfNeeded(with device: DeviceID) {
        if !peers.links.leads(to: device), !endpoints(of: device).isEmpty { sync(with: device) }
    }

    /// Dials a device to exchange hellos, unless it was recently dialled for this purpose.
    private func sync(with device: DeviceID) {
        guard !lifecycle.isStopping, device != identity.id, peers[device].dialTurns.takeSync(at: clock.uptime)
        else { return }
        dialToSync(device)
    }

    /// Redials a device after its connection was lost and a pause has passed, if the device still
    /// does not know the circle. No redial is made once this device stops.
    func redial(afterLossOf device: DeviceID) {
        guard !lifecycle.isStopping, isMember(device),
            let due = peers[device].dialTurns.lost(at: clock.uptime)
        else { return }
        schedule(.redial(device), at: due)
    }

    func dialToSync(_ device: DeviceID) {
        background.begin { await self.exchangeHellos(with: device) }
    }

    private func exchangeHellos(with device: DeviceID) async {
        let known = peers.links.to(device)
        do {
            let link = try await link(to: device)
            // A new link begins with a hello of its own.
            if known.contains(where: { $0 === link }) { link.tell(helloForOne()) }
        } catch {
            if (error as? HandoffError)?.isUntried == true {
                peers[device].dialTurns.wasNotDialled(at: clock.uptime)
            }
            logger.debug("\(device) could not be told of the circle: \(error)")
        }
    }
}
