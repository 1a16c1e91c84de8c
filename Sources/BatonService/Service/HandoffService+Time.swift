// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport

/// The deadlines of all parts of the service, kept by one alarm.
extension HandoffService {
    /// The parts that have deadlines.
    enum TimedPart {
        case advertiser, offers, registry, invitations, hails, clocks, continuations, reports, owedAcceptances, streams,
            pairing, probes, hello, clockNews, renames, listening, lan, lanBeacons, datagramClocks
    }

    /// Schedules a part for an uptime, or cancels its deadline with nil.
    func schedule(_ part: TimedPart, at deadline: Duration?) {
        timetable.set(part, to: deadline, clock) { [weak self] in await self?.timePassed() }
    }

    /// Runs the parts that are due, each in its own task and in no particular order. A part that
    /// waits for the radio does not delay the others.
    private func timePassed() {
        let due = timetable.takeDue(at: clock.uptime, clock) { [weak self] in await self?.timePassed() }
        for part in due { background.begin { await self.timePassed(for: part) } }
    }

    private func timePassed(for part: TimedPart) async {
        switch part {
        case .advertiser: await advertisingTimePassed()
        case .offers: carryOut(sightings.book.timePassed(at: clock.uptime))
        case .registry: await advertisedChanged()
        case .invitations: await endOldInvitations()
        case .hails: await hailTimePassed()
        case .clocks: searchClocks()
        case .continuations: continuations.timePassed(at: clock.uptime)
        case .reports: giveUpReports()
        case .owedAcceptances: forgetOwedAcceptances()
        case .streams: streams.timePassed(at: clock.uptime)
        case .pairing: if let run = pairings.run { happened(.timePassed, toPairing: run.id) }
        case .probes: await probesChanged()
        case .hello: await tellPeers()
        case .clockNews: await tellClockNews()
        case .renames: await takeRenames()
        case .listening: listeningChanged()
        case .lan: lanTimePassed()
        case .lanBeacons: lanBeaconTimePassed()
        case .datagramClocks: searchDatagramClocks()
        }
    }
}
