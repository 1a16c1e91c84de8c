// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport

/// The deadlines of all parts of the service, kept by one alarm.
extension HandoffService {
    /// The parts that have deadlines.
    enum TimedPart: Hashable {
        case advertiser, offers, registry, invitations, hails, clocks, continuations, reports, owedAcceptances, streams,
            pairing, probes, hello, clockNews, renames, listening, lan
        /// The dial of a device whose connection was lost.
        case redial(DeviceID)
    }

    /// Schedules a part for an uptime, or cancels its deadline with nil.
    func schedule(_ part: TimedPart, at deadline: Duration?) {
        timetable.set(part, to: deadline, clock) { [weak self] in await self?.timePassed() }
    }

    /// Runs the parts that are due.
    private func timePassed() {
        let due = timetable.takeDue(at: clock.uptime, clock) { [weak self] in await self?.timePassed() }
        for part in due { timePassed(for: part) }
    }

    private func timePassed(for part: TimedPart) {
        switch part {
        case .advertiser: advertisingTimePassed()
        case .offers: carryOut(sightings.book.timePassed(at: clock.uptime))
        case .registry: advertisedChanged()
        case .invitations: endOldInvitations()
        case .hails: hailTimePassed()
        case .clocks: searchClocks()
        case .continuations: continuations.timePassed(at: clock.uptime)
        case .reports: giveUpReports()
        case .owedAcceptances: owedAcceptancesTimePassed()
        case .streams: streams.timePassed(at: clock.uptime)
        case .pairing: if let run = pairings.run { happened(.timePassed, toPairing: run.id) }
        case .probes: probesChanged()
        case .hello: tellPeers()
        case .clockNews: tellClockNews()
        case .renames: takeRenames()
        case .listening: listeningChanged()
        case .lan: lanTimePassed()
        case .redial(let device): syncIfNeeded(withShort: device.short)
        }
    }
}
