// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport

/// One alarm for all parts of the service: what each of them does when its time has come.
extension HandoffService {
    /// The parts that have deadlines.
    enum TimedPart {
        case advertiser, offers, registry, invitations, hails, clocks, continuations, reports, owedAcceptances, streams,
            pairing, probes, hello, clockNews, renames, listening
    }

    /// Has a part called at an uptime; nil for never.
    func schedule(_ part: TimedPart, at deadline: Duration?) {
        timetable.set(part, to: deadline, clock) { [weak self] in await self?.timePassed() }
    }

    /// Parts that are due begin in no order, each in a task of its own: one that waits for the
    /// radio does not hold the others up.
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
        }
    }
}
