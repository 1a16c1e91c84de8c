// SPDX-License-Identifier: Apache-2.0

public import BatonBus

/// What panels show.
extension Desktop {
    /// Takes over the condition of the daemon itself, whatever the user has decided.
    ///
    /// - Parameters:
    ///   - state: The condition.
    ///   - reason: One line for people, when it does not run.
    public func serviceChanged(to state: PanelStatus.State, reason: String) {
        let isInCircleNow = [.starting, .noCircle].contains(panel.service.state) && state != .noCircle
        panel.service = PanelStatus(state: state, reason: reason)
        tellPanel()
        // Whom rules name is known now.
        if isInCircleNow { Task { await readSettings() } }
    }

    /// Says what panels are to show, when that is not what they were told before.
    func tellPanel() {
        panel.tell(pause: pause, offers: offers.values.filter(isContinuable), withheld: withheld)
    }

    /// Whether the user could continue an offer here, now.
    private func isContinuable(_ offer: OfferSummary) -> Bool {
        presence.showsOffers && openings[offer.offer] == nil && action(for: offer) != .never
            && (offer.application != nil || offer.hasWebpage)
    }
}
