// SPDX-License-Identifier: Apache-2.0

public import BatonBus

/// What panels show.
extension Desktop {
    /// How the daemon itself fares, whatever the user has decided.
    ///
    /// - Parameter reason: one line for people, when it does not run.
    public func serviceFares(_ state: PanelStatus.State, reason: String) {
        let isInCircleNow = [.starting, .noCircle].contains(service.state) && state != .noCircle
        service = PanelStatus(state: state, reason: reason)
        tellPanel()
        // Whom rules name is known now.
        if isInCircleNow { Task { await readSettings() } }
    }

    /// Says what panels are to show, when that is not what they were told before.
    func tellPanel() {
        let best = bestOffer.choose(among: offers.values.filter(isContinuable).map(BestOffer.Candidate.init))
        let isPaused = pause != nil && [.running, .noRadio].contains(service.state)
        let status = PanelStatus(
            state: isPaused ? .paused : service.state,
            reason: isPaused ? "Baton is paused; 'baton resume' ends that" : service.reason,
            pausedUntil: isPaused ? pause?.until : nil, bestOffer: best.flatMap { known[$0] })
        guard status != panel else { return }
        panel = status
        panelSink.yield(status)
    }

    /// Whether the user could continue an offer here, now.
    private func isContinuable(_ offer: OfferSummary) -> Bool {
        pause == nil && session.isActive && openings[offer.offer] == nil && action(for: offer) != .never
            && (offer.application != nil || offer.hasWebpage)
    }
}

extension BestOffer.Candidate {
    init(_ offer: OfferSummary) {
        self.init(offer: offer.offer, hasApp: offer.application != nil, signal: offer.signal)
    }
}
