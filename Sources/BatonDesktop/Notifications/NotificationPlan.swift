// SPDX-License-Identifier: Apache-2.0

import BatonBus

/// Plans the notifications of offers, of hand-overs, and of laptops that fetch repeatedly. The plan
/// has no clock, so callers pass the time.
struct NotificationPlan: Sendable {
    /// The maximum number of failure notices. Only the latest are kept, because notices that the
    /// user never dismisses would pile up.
    static let maximumFailures = 8
    /// The maximum number of laptops about which the user is asked at a time. Questions about
    /// further laptops wait until the user has answered one.
    static let maximumFetches = 4

    /// The pace of offers. Each device has one notification, for its latest offer, and few are new
    /// in a minute.
    private var pace = NotificationPace()
    /// The notices of hand-overs. Progress notices end with their hand-overs, which are few.
    private var notices: [NotificationKey: HandoverNotice] = [:]
    /// The keys of the failures, the oldest first.
    private var failures: [NotificationKey] = []
    /// The laptops that fetch repeatedly, the oldest first.
    private var fetches: [(device: String, notification: Notification)] = []

    // MARK: - Offers

    /// The earliest time at which a waiting offer may be shown, or nil if none has a place.
    var deadline: Duration? { pace.deadline }

    /// Returns the waiting offers that may be shown now, in the order of their turns.
    mutating func timePassed(at uptime: Duration) -> [String] { pace.due(at: uptime) }

    /// Shows an offer with a notification, or hides it if the notification is nil.
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

    /// Records that the user has continued an activity from a device. The device's offers come
    /// first from then on.
    mutating func continued(from device: String) { pace.continued(from: device) }

    mutating func withdrawn(_ offer: OfferSummary) -> [NotificationChange] {
        pace.withdrawn(offer.offer, of: offer.device)
        return [.remove(NotificationKey(.offer, offer.offer))]
    }

    // MARK: - Hand-overs

    /// Shows a notice of a hand-over.
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

    /// Removes a notice of a hand-over.
    mutating func withdraw(_ key: NotificationKey) -> [NotificationChange] {
        closed(key)
        return [.remove(key)]
    }

    /// Forgets a notice that has left the screen by itself.
    mutating func closed(_ key: NotificationKey) {
        notices[key] = nil
        failures.removeAll { $0 == key }
    }

    /// Shows all notices of hand-overs in another style.
    func restyled(_ style: NotificationStyle) -> [NotificationChange] { notices.keys.map { change(of: $0, in: style) } }

    private func change(of key: NotificationKey, in style: NotificationStyle) -> NotificationChange {
        notices[key].flatMap(style.notification(of:)).map { .show($0, key) } ?? .remove(key)
    }

    // MARK: - Laptops that fetch repeatedly

    /// Records a laptop that has fetched several times without continuing anything.
    ///
    /// The user can then stop the laptop.
    ///
    /// ``showFetches(among:)`` shows the question about the laptop. `notifications = off` does not
    /// silence this question, because it is not about an offer.
    mutating func fetchesInVain(of device: String, named name: String, count: Int) {
        let entry = (device, FetchQuestion.notification(of: name, count: count))
        if let place = fetches.firstIndex(where: { $0.device == device }) {
            fetches[place] = entry
        } else {
            fetches.append(entry)
        }
    }

    /// Withdraws the question about a laptop, because the user has answered or acted.
    mutating func fetchesAreOver(of device: String) -> [NotificationChange] {
        fetches.removeAll { $0.device == device }
        return [.remove(NotificationKey(.fetches, device))]
    }

    /// Shows the questions about laptops, as many as have a place on the screen. Forgets laptops
    /// that left the circle.
    mutating func showFetches(among members: Set<String>) -> [NotificationChange] {
        let gone = fetches.filter { !members.contains($0.device) }.flatMap { fetchesAreOver(of: $0.device) }
        return gone
            + fetches.prefix(Self.maximumFetches).map { .show($0.notification, NotificationKey(.fetches, $0.device)) }
    }
}
