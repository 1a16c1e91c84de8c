// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport
import Diagnosis
import Logging
import TraceModel

/// Reports whether an app took an activity over, even if the channel closed before the report.
extension HandoffService {
    // MARK: - The origin's side

    func link(_ link: PeerLink, continued acceptance: Acceptance, outcome: Session.ContinueOutcome) {
        trace.record(.handover, "\(outcome) there", [traced(link.device)])
        let continuation = UnreportedContinuations.Continuation(device: link.device, acceptance: acceptance)
        let isAccepted = peers[link.device].earlyAcceptances.remove(acceptance, at: clock.uptime)
        switch isAccepted ? .accepted : outcome {
        case .accepted: wasContinued(continuation)
        case .declined: notContinued(continuation, .notTakenThere)
        case .unreported: apps.unreported.insert(continuation, at: clock.uptime)
        }
        schedule(.reports, at: apps.unreported.deadline)
    }

    func link(_ link: PeerLink, acceptedElsewhere acceptance: Acceptance) {
        let continuation = UnreportedContinuations.Continuation(device: link.device, acceptance: acceptance)
        guard apps.unreported.remove(continuation) else {
            // Perhaps the channel of the grant has not ended here yet.
            return peers[link.device].earlyAcceptances.insert(acceptance, at: clock.uptime)
        }
        trace.record(.handover, "accepted there, told again", [traced(link.device)])
        wasContinued(continuation)
        schedule(.reports, at: apps.unreported.deadline)
    }

    private func wasContinued(_ continuation: UnreportedContinuations.Continuation) {
        peers[account(of: continuation.device)].fetches.accepted()
        let reachable = clock.uptime + ContinuationLimits.reachableAfterwards
        guard let entry = apps.continued(continuation.acceptance.instance, reachableUntil: reachable) else {
            return
        }
        if let hash = advertising.keys.hash(of: entry) {
            let place = Offer.id(device: continuation.device.short, activity: hash)
            apps.lineage.gave(entry.origin, to: place, at: clock.uptime)
            // The other device may already offer the activity. Update that offer, because its
            // activity now counts as one that this device gave away.
            carryOut(sightings.book.offers.filter { $0.id == place }.map { .changed($0) })
        }
        tellClient(
            .wasContinued(
                activity: entry.id, client: entry.client, device: continuation.device.description,
                deviceName: name(of: continuation.device)))
    }

    private func notContinued(_ continuation: UnreportedContinuations.Continuation, _ failure: FailureCode) {
        guard let entry = apps.registry.entry(instance: continuation.acceptance.instance) else { return }
        tellClient(
            .notContinued(
                activity: entry.id, client: entry.client, device: continuation.device.description,
                deviceName: name(of: continuation.device), reason: Reason(failure)))
    }

    /// Informs apps about fetches whose report did not come in time.
    func giveUpReports() {
        for continuation in apps.unreported.due(at: clock.uptime) {
            notContinued(continuation, .reportMissing)
        }
        schedule(.reports, at: apps.unreported.deadline)
    }

    // MARK: - The other side

    func link(_ link: PeerLink, lost acceptance: Acceptance) {
        guard !lifecycle.isStopping else { return }
        peers.owedAcceptances.insert(acceptance, to: link.device, at: clock.uptime)
        dialToTellAcceptances(link.device)
    }

    /// Dials a device to resend acceptances. A device that is out of range is dialled when it is
    /// heard again, at the earliest two seconds after the last dial.
    func dialToTellAcceptances(_ device: DeviceID) {
        let dials = peers.owedAcceptances.beginDial(to: device, at: clock.uptime)
        schedule(.owedAcceptances, at: peers.owedAcceptances.deadline)
        guard dials else { return }
        background.begin { [logger] in
            do {
                await self.tellAcceptances(over: try await self.link(to: device))
            } catch {
                logger.debug("\(device) cannot be told what was accepted: \(error)")
            }
        }
    }

    /// Forgets acceptances that are too old to resend. Dials again the devices whose links could
    /// not take an acceptance.
    func owedAcceptancesTimePassed() {
        for device in peers.owedAcceptances.takeRedials(at: clock.uptime) { dialToTellAcceptances(device) }
        schedule(.owedAcceptances, at: peers.owedAcceptances.deadline)
    }

    /// Sends the acceptances that are due to a link's device. If the link is ending and takes no
    /// new message, they stay due, and the device is dialled again soon.
    func tellAcceptances(over link: PeerLink) {
        for owed in peers.owedAcceptances.take(for: link.device, at: clock.uptime) {
            logger.debug("telling \(link.device) again what was accepted")
            if !link.tell(owed.acceptance) { peers.owedAcceptances.putBack(owed, at: clock.uptime) }
        }
        schedule(.owedAcceptances, at: peers.owedAcceptances.deadline)
    }
}
