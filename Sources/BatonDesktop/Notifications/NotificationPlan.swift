// SPDX-License-Identifier: Apache-2.0

import BatonBus

/// The notifications of offers, of hand-overs, and of laptops that fetch again and again. No clock:
/// times are told.
struct NotificationPlan: Sendable {
    /// How many failed hand-overs are told of: nobody need ever dismiss one, so the latest are
    /// kept.
    static let maximumFailures = 8
    /// How many laptops that fetch in vain are told of at a time: the others wait until the user
    /// has answered.
    static let maximumFetches = 4

    /// A device has one notification, for its latest offer, and few are new in a minute.
    private var pace = NotificationPace()
    /// The notices of hand-overs. Progress goes with its hand-over, of which there are few.
    private var notices: [NotificationKey: HandoverNotice] = [:]
    /// The keys of the failures, the oldest first.
    private var failures: [NotificationKey] = []
    /// The laptops that fetch in vain, the oldest first.
    private var fetches: [(device: String, notification: Notification)] = []

    // MARK: - Offers

    /// The earliest time at which an offer that waits may be shown; nil while none has a place.
    var deadline: Duration? { pace.deadline }

    /// The offers that waited and may be shown now, the first one first.
    mutating func timePassed(at uptime: Duration) -> [String] { pace.due(at: uptime) }

    /// An offer is to be shown in this way; nil when it is not to be shown.
    mutating func show(
        _ notification: Notification?, of offer: OfferSummary, _ activity: OfferedActivity, at uptime: Duration
    ) -> [NotificationChange] {
        let key = NotificationKey(.offer, offer.offer)
        guard let notification else {
            pace.isUnwanted(offer.offer, of: offer.device)
            return [.remove(key)]
        }
        let shown = NotificationPace.Activity(offer: offer.offer, number: activity.number)
        switch pace.show(shown, of: offer.device, account: activity.account, at: uptime) {
        case .known: return [.show(notification, key)]
        case .new(let former, let other):
            let removed = other.map { NotificationChange.remove(NotificationKey(.offer, $0.offer)) }
            let replaced = former.map { NotificationKey(.offer, $0.offer) }
            return [removed, .show(notification, key, replacing: replaced)].compactMap(\.self)
        case .later: return [.remove(key)]
        }
    }

    /// The user has continued what a device offered: it comes before others.
    mutating func continued(from device: String) { pace.continued(from: device) }

    /// An offer is gone.
    mutating func withdrawn(_ offer: OfferSummary) -> [NotificationChange] {
        pace.withdrawn(offer.offer, of: offer.device)
        return [.remove(NotificationKey(.offer, offer.offer))]
    }

    // MARK: - Hand-overs

    /// Tells the user of a hand-over.
    mutating func tell(
        _ notice: HandoverNotice, of id: String, in style: NotificationStyle
    ) -> [NotificationChange] {
        let key = if case .progress = notice { NotificationKey(.progress, id) } else { NotificationKey(.failure, id) }
        closed(key)
        notices[key] = notice
        if key.kind == .failure { failures.append(key) }
        let oldest = failures.count > Self.maximumFailures ? withdraw(failures[0]) : []
        return oldest + [change(of: key, in: style)]
    }

    /// There is nothing to tell of a hand-over any more.
    mutating func withdraw(_ key: NotificationKey) -> [NotificationChange] {
        closed(key)
        return [.remove(key)]
    }

    /// A notification has gone from the screen by itself.
    mutating func closed(_ key: NotificationKey) {
        notices[key] = nil
        failures.removeAll { $0 == key }
    }

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
        let entry = (device, FetchQuestion.notification(of: name, count: count))
        if let place = fetches.firstIndex(where: { $0.device == device }) {
            fetches[place] = entry
        } else {
            fetches.append(entry)
        }
    }

    /// The user has done something about a laptop: there is nothing to ask any more.
    mutating func fetchesAreOver(of device: String) -> [NotificationChange] {
        fetches.removeAll { $0.device == device }
        return [.remove(NotificationKey(.fetches, device))]
    }

    /// Shows the laptops that have a place on the screen, and forgets those that left the circle.
    mutating func showFetches(among members: Set<String>) -> [NotificationChange] {
        let gone = fetches.filter { !members.contains($0.device) }.flatMap { fetchesAreOver(of: $0.device) }
        return gone
            + fetches.prefix(Self.maximumFetches).map { .show($0.notification, NotificationKey(.fetches, $0.device)) }
    }
}
