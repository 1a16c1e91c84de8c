// SPDX-License-Identifier: Apache-2.0

import BatonBus

/// When an offer is shown, and when that goes away: as soon as the offer does (`withdrawn(_:)`),
/// or, of one that is shown briefly, after ``Notification/briefly``. A device has one notification,
/// for its latest offer, and there are few new ones in a minute (``NotificationPace``).
extension Desktop {
    func refreshAll() {
        for offer in offers.values { refresh(offer) }
        showNotices()
        showQuestions()
        tellPanel()
    }

    /// Shows, changes or removes what the screen has of an offer.
    func refresh(_ offer: OfferSummary) {
        let key = Self.offerKey(offer.offer)
        switch action(for: offer) {
        case .near(let signal) where pause == nil:
            watchSignal(of: offer, threshold: signal)
        default: triggers.forget(offer.offer)
        }
        let isWanted =
            settings.notifies && pause == nil && presence.session.isActive && openings[offer.offer] == nil
            && !known.isSettled(offer.offer) && action(for: offer) != .never && known.isLatest(offer.offer)
        let style = NotificationStyle(onLockScreen: settings.onLockScreen)
        if isWanted,
            let activity = known.activity(of: offer.offer),
            let notification = style.notification(
                of: offer, app: application(for: offer), isFromHere: activity.isFromHere,
                isLocked: presence.session.isLocked, findsPlace: openedPages.hasBeenFollowed)
        {
            show(notification, of: offer, activity)
        } else {
            pace.isUnwanted(offer.offer, of: offer.device)
            environment.board.remove(key: key)
        }
    }

    private func show(_ notification: Notification, of offer: OfferSummary, _ activity: OfferedActivity) {
        let (board, key) = (environment.board, Self.offerKey(offer.offer))
        let shown = NotificationPace.Activity(offer: offer.offer, number: activity.number)
        switch pace.show(shown, of: offer.device, account: activity.account, at: clock.uptime()) {
        case .known: board.show(notification, key: key)
        case .new(let former, let other):
            if let other { board.remove(key: Self.offerKey(other.offer)) }
            board.show(notification, key: key, replacing: former.map { Self.offerKey($0.offer) })
        case .later: board.remove(key: key)
        }
    }

    /// Shows the next offer that waits, as soon as the pace allows it and there is a place.
    func setPaceAlarm() {
        alarms[.notifications]?.cancel()
        alarms[.notifications] = pace.deadline.map { deadline in
            Task {
                guard (try? await clock.sleep(deadline)) != nil else { return }
                for offer in pace.due(at: clock.uptime()).compactMap({ known[$0] }) { refresh(offer) }
            }
        }
    }

    /// A notification that does not last has gone from the screen.
    func hasExpired(_ key: String) {
        notices.remove(key)
        // Of an offer there would be another one at its next change.
        let offer = Self.offer(ofKey: key)
        if key == Self.offerKey(offer) { known.settled(offer) }
    }

    static func offerKey(_ offer: String) -> String { "offer:\(offer)" }
    static func progressKey(_ offer: String) -> String { "progress:\(offer)" }
    static func failureKey(_ offer: String) -> String { "failure:\(offer)" }
    static func offer(ofKey key: String) -> String { String(key.drop { $0 != ":" }.dropFirst()) }
}
