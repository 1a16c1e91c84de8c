// SPDX-License-Identifier: Apache-2.0

import BatonBus

/// What becomes of an offer here, whenever something has changed: whether it is shown, and whether
/// a rule continues it.
extension Desktop {
    func refreshAll() {
        for offer in offers.values { refresh(offer) }
        environment.board.carryOut(plan.restyled(style))
        showQuestions()
        tellPanel()
    }

    /// Shows, changes or removes what the screen has of an offer.
    func refresh(_ offer: OfferSummary) {
        let threshold: Int? = if case .near(let signal) = action(for: offer), !presence.isPaused { signal } else { nil }
        nearRules.changed(offer, threshold: threshold, at: clock.uptime())
        continueWhatIsNear()
        guard let activity = known.activity(of: offer.offer) else { return }
        let notification = isWanted(offer) ? notification(of: offer, activity) : nil
        environment.board.carryOut(plan.show(notification, of: offer, activity, at: clock.uptime()))
    }

    /// Whether the screen is to have an offer, if there is something to be seen of it.
    private func isWanted(_ offer: OfferSummary) -> Bool {
        settings.notifies && presence.showsOffers && openings[offer.offer] == nil && !known.isSettled(offer.offer)
            && action(for: offer) != .never && known.isLatest(offer.offer)
    }

    private func notification(of offer: OfferSummary, _ activity: OfferedActivity) -> Notification? {
        style.notification(
            of: offer, app: application(for: offer), isFromHere: activity.isFromHere,
            findsPlace: openedPages.hasBeenFollowed)
    }

    /// How notifications look on the screen as it is now.
    var style: NotificationStyle {
        NotificationStyle(onLockScreen: settings.onLockScreen, isLocked: presence.session.isLocked)
    }

    /// A notification that does not last has gone from the screen.
    func hasExpired(_ key: String) {
        guard let key = NotificationKey(key) else { return }
        plan.closed(key)
        // Of an offer there would be another one at its next change.
        if case .offer(let offer) = key { known.settled(offer) }
    }
}
