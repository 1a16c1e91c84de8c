// SPDX-License-Identifier: Apache-2.0

public import BatonBus

/// What panels show.
extension Desktop {
    /// The condition of the daemon itself, whatever the user has decided.
    ///
    /// - Parameter reason: one line for people, when it does not run.
    public func serviceFares(_ state: PanelStatus.State, reason: String) {
        let isInCircleNow = [.starting, .noCircle].contains(panel.service.state) && state != .noCircle
        panel.service = PanelStatus(state: state, reason: reason)
        tellPanel()
        // Whom rules name is known now.
        if isInCircleNow { Task { await readSettings() } }
    }

    /// Says what panels are to show, when that is not what they were told before.
    func tellPanel() { panel.tell(pause: pause, offers: offers.values.filter(isContinuable)) }

    /// Whether the user could continue an offer here, now.
    private func isContinuable(_ offer: OfferSummary) -> Bool {
        pause == nil && session.isActive && openings[offer.offer] == nil && action(for: offer) != .never
            && (offer.application != nil || offer.hasWebpage)
    }
}
