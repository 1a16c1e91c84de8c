// SPDX-License-Identifier: Apache-2.0

import BatonBus

/// What the user is to see of offers, of hand-overs, and of laptops that fetch again and again. No
/// clock: times are told.
///
/// A device has one notification, for its latest offer, and few are new in a minute
/// (``NotificationPace``). A failed hand-over is shown until it is dismissed or there are too many
/// (``ShownHandoverNotices``).
struct NotificationPlan: Sendable {
    private var pace = NotificationPace()
    private var notices = ShownHandoverNotices()
    private var fetches = FetchQuestions()

    /// The earliest time at which an offer that waits may be shown; nil while none has a place.
    var deadline: Duration? { pace.deadline }

    /// The offers that waited and may be shown now, the first one first.
    mutating func timePassed(at uptime: Duration) -> [String] { pace.due(at: uptime) }

    // MARK: - Offers

    /// An offer is to be shown in this way; nil when it is not to be shown.
    mutating func show(
        _ notification: Notification?, of offer: OfferSummary, _ activity: OfferedActivity, at uptime: Duration
    ) -> [NotificationChange] {
        let key = NotificationKey.offer(offer.offer)
        guard let notification else {
            pace.isUnwanted(offer.offer, of: offer.device)
            return [.remove(key)]
        }
        let shown = NotificationPace.Activity(offer: offer.offer, number: activity.number)
        switch pace.show(shown, of: offer.device, account: activity.account, at: uptime) {
        case .known: return [.show(notification, key)]
        case .new(let former, let other):
            let removed = other.map { [NotificationChange.remove(.offer($0.offer))] } ?? []
            return removed + [.show(notification, key, replacing: former.map { .offer($0.offer) })]
        case .later: return [.remove(key)]
        }
    }

    /// The user has continued what a device offered: it comes before others.
    mutating func continued(from device: String) { pace.continued(from: device) }

    /// An offer is gone.
    mutating func withdrawn(_ offer: OfferSummary) -> [NotificationChange] {
        pace.withdrawn(offer.offer, of: offer.device)
        return [.remove(.offer(offer.offer))]
    }

    // MARK: - Hand-overs

    /// Tells the user of a hand-over. The oldest failure makes room for a new one.
    mutating func tell(
        _ notice: HandoverNotice, _ key: NotificationKey, in style: NotificationStyle
    ) -> [NotificationChange] {
        let oldest = notices.insert(notice, key: key)
        return (oldest.map { [.remove($0)] } ?? []) + [change(of: key, in: style)]
    }

    /// There is nothing to tell of a hand-over any more.
    mutating func withdraw(_ key: NotificationKey) -> [NotificationChange] {
        notices.remove(key)
        return [.remove(key)]
    }

    /// A notification has gone from the screen by itself.
    mutating func closed(_ key: NotificationKey) { notices.remove(key) }

    /// Shows all that is told of hand-overs in another way.
    func restyled(_ style: NotificationStyle) -> [NotificationChange] { notices.keys.map { change(of: $0, in: style) } }

    private func change(of key: NotificationKey, in style: NotificationStyle) -> NotificationChange {
        notices[key].flatMap(style.notification(of:)).map { .show($0, key) } ?? .remove(key)
    }

    // MARK: - Laptops that fetch in vain

    /// A laptop has fetched so often, and has taken nothing over: the user can stop it. This is no
    /// news of an offer, so `notifications = off` does not silence it. It is shown by
    /// ``showFetches(among:)``.
    mutating func fetchesInVain(of device: String, named name: String, count: Int) {
        fetches.insert(FetchQuestion.notification(of: name, count: count), of: device)
    }

    /// The user has done something about a laptop: there is nothing to ask any more.
    mutating func fetchesAreOver(of device: String) -> [NotificationChange] {
        fetches.remove(device)
        return [.remove(.fetches(device))]
    }

    /// Shows the laptops that have a place on the screen, and forgets those that left the circle.
    mutating func showFetches(among members: Set<String>) -> [NotificationChange] {
        fetches.keep(where: members.contains).map { .remove(.fetches($0)) }
            + fetches.shown.map { .show($0.notification, .fetches($0.device)) }
    }
}
