// SPDX-License-Identifier: Apache-2.0

public import BatonBus
import DesktopEntries

/// The offers, and what is shown of them.
extension Desktop {
    /// The offers that programs have been told of, by their identifiers.
    public var offers: [String: OfferSummary] { known.summaries }

    /// An offer appeared, or changed.
    ///
    /// - Returns: The offer with the app that would continue it.
    public func offered(_ offer: OfferSummary) async -> OfferSummary {
        // First: from here on nothing may come in between.
        let activity = await host.activity(of: offer.offer)
        let offer = decorated(offer)
        // It has gone by now, and its end is told next.
        guard let activity else { return offer }
        known.appeared(offer, number: activity.number, isGivenAway: activity.isFromHere)
        refresh(offer)
        tellPanel()
        return offer
    }

    /// An offer is gone.
    public func withdrawn(_ offer: String) {
        known.withdrawn(offer)
        board.remove(key: Self.offerKey(offer))
        triggers.forget(offer)
        tellPanel()
    }

    /// The offer with the app that would continue it.
    public func decorated(_ offer: OfferSummary) -> OfferSummary {
        var offer = offer
        offer.application = application(for: offer)?.identifier
        return offer
    }

    func application(for offer: OfferSummary) -> DesktopEntry? { applications(for: offer).first }

    func applications(for offer: OfferSummary) -> [DesktopEntry] {
        guard let type = offer.type, let team = offer.team else { return [] }
        return AppChoice(defaults: settings.defaultApps)
            .candidates(type: type, team: team, title: offer.title, in: index)
    }

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
            settings.notifies && pause == nil && session.isActive && openings[offer.offer] == nil
            && !known.isSettled(offer.offer) && action(for: offer) != .never
        let style = OfferNotifications(onLockScreen: settings.onLockScreen)
        if isWanted,
            let notification = style.notification(
                of: offer, app: application(for: offer), isFromHere: known.isGivenAway(offer.offer),
                isLocked: session.isLocked)
        {
            board.show(notification, key: key)
        } else {
            board.remove(key: key)
        }
    }

    /// A notification that does not last has gone from the screen.
    func hasExpired(_ key: String) {
        notices.remove(key)
        // Of an offer there would be another one at its next change.
        let offer = Self.offer(ofKey: key)
        if key == Self.offerKey(offer) { known.settled(offer) }
    }

    func action(for offer: OfferSummary) -> Rule.Action {
        settings.action(
            type: offer.type ?? "", app: offer.application, device: offer.device, named: offer.deviceName)
    }

    static func offerKey(_ offer: String) -> String { "offer:\(offer)" }
    static func progressKey(_ offer: String) -> String { "progress:\(offer)" }
    static func failureKey(_ offer: String) -> String { "failure:\(offer)" }
    static func offer(ofKey key: String) -> String { String(key.drop { $0 != ":" }.dropFirst()) }
}
