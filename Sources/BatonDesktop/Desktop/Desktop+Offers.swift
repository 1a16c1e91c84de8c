// SPDX-License-Identifier: Apache-2.0

public import BatonBus
import DesktopEntries
import Logging

/// The known offers and the decisions about each.
///
/// The decisions are whether the offer is shown, whether a rule continues it, and whether panels
/// list it.
extension Desktop {
    /// The offers that the daemon has announced on the bus, by their ids.
    public var offers: [String: OfferSummary] { known.summaries }

    /// Records that an offer appeared or changed.
    ///
    /// - Returns: The offer with the app that would continue it.
    public func offered(_ offer: OfferSummary) async -> OfferSummary {
        await askSession()
        // There must be no suspension point after this call, because the offer could be withdrawn
        // before it is recorded.
        let activity = await host.activity(of: offer.offer)
        let offer = decorated(offer)
        // Without an activity, the offer was withdrawn meanwhile. The call that reports this comes
        // next.
        guard let activity else { return offer }
        known.appeared(offer, of: activity)
        refresh(offer)
        tellPanel()
        return offer
    }

    /// Records that an offer was withdrawn.
    public func withdrawn(_ offer: String) {
        guard let summary = known[offer] else { return }
        known.withdrawn(offer)
        board.carryOut(plan.withdrawn(summary))
        nearRules.withdrawn(offer)
        tellPanel()
    }

    /// Returns an offer with the app that would continue it, and whether a rule hides it.
    public func decorated(_ offer: OfferSummary) -> OfferSummary {
        var offer = offer
        offer.application = choice.application(for: offer, in: usableApps.index)?.identifier
        offer.isHidden = settings.action(for: offer) == .never
        return offer
    }

    var choice: AppChoice { AppChoice(defaults: settings.defaultApps) }

    /// Announces each offer whose app has changed, or that a rule hides or shows now.
    func chooseAppsAgain() async {
        for name in offers.keys {
            // Read the offer again, because it may have changed or been withdrawn during the last
            // call.
            guard let offer = known[name], case let changed = decorated(offer), changed != offer else { continue }
            known.changed(changed)
            refresh(changed)
            await host.tellChanged(changed)
        }
    }

    /// Updates everything that the user sees.
    func refreshAll() {
        for offer in offers.values { refresh(offer) }
        board.carryOut(plan.restyled(style))
        showQuestions()
        tellPanel()
    }

    /// Updates the rules and the notification for one offer.
    func refresh(_ offer: OfferSummary) {
        guard let activity = known.activity(of: offer.offer) else { return }
        let action = settings.action(for: offer)
        let threshold: Int? = if case .near(let signal) = action, !presence.isPaused { signal } else { nil }
        nearRules.changed(offer, threshold: threshold, at: clock.uptime())
        continueWhatIsNear()
        let isWanted =
            settings.notifies && isFree(offer, action) && !known.isSettled(offer.offer) && known.isLatest(offer.offer)
        let notification = isWanted ? notification(of: offer, activity) : nil
        board.carryOut(plan.show(notification, of: offer, activity, at: clock.uptime()))
    }

    private func notification(of offer: OfferSummary, _ activity: OfferedActivity) -> Notification? {
        style.notification(
            of: offer, app: choice.application(for: offer, in: usableApps.index), isFromHere: activity.isFromHere,
            findsPlace: openedPages.hasBeenFollowed)
    }

    /// Returns whether an offer may be shown. The user must be present, and the offer must be
    /// neither in the process of opening nor hidden by a rule.
    private func isFree(_ offer: OfferSummary, _ action: Rule.Action) -> Bool {
        presence.showsOffers && openings[offer.offer] == nil && action != .never
    }

    /// The style of notifications for the current state of the screen.
    var style: NotificationStyle {
        NotificationStyle(onLockScreen: settings.onLockScreen, isLocked: presence.session.isLocked)
    }

    /// Sends panels their new state, if it has changed.
    func tellPanel() {
        let continuable = offers.values.filter {
            isFree($0, settings.action(for: $0)) && ($0.application != nil || $0.hasWebpage)
        }
        panel.tell(pause: pause, offers: continuable, withheld: withheld)
    }

    // MARK: - Rules

    /// Continues the offers of near devices that rules allow now. Called after each change of the
    /// offers, the session, the apps or the time.
    func continueWhatIsNear() {
        for (offer, signal) in nearRules.take(at: clock.uptime(), where: { mayContinueByItself($0) }) {
            Task { await continueByRule(offer, near: signal) }
        }
    }

    /// Returns whether a rule may continue an offer now. An app must be able to continue the offer,
    /// and the user must be able to see that.
    private func mayContinueByItself(_ offer: String) -> Bool {
        presence.isUnlocked && !presence.isPaused && openings[offer] == nil && known[offer]?.application != nil
    }

    /// Continues an offer by its rule. First the device must answer at close range. Until then no
    /// app starts and the user sees nothing.
    private func continueByRule(_ offer: String, near signal: Int) async {
        let isFromHere = await host.activity(of: offer)?.isFromHere ?? false
        let isReached = isFromHere ? true : await reaches(offer, near: signal)
        let mayContinue = mayContinueByItself(offer)
        guard nearRules.answered(offer, isReached: isReached, mayContinue: mayContinue, at: clock.uptime()) else {
            return
        }
        // Do not continue an activity that this laptop gave away. Otherwise two laptops would hand
        // it to each other for ever.
        guard !isFromHere else {
            return logger.debug("\(offer) came near; this device gave it away, or has it open")
        }
        do {
            _ = try await begin(offer, near: signal).value
        } catch {
            let error = BatonError(anyError: error)
            logger.notice("\(offer) was not continued by its rule: \(error)", metadata: Self.caused(byOffer: offer))
            nearRules.failed(offer, error.code, at: clock.uptime())
        }
    }

    private func reaches(_ offer: String, near signal: Int) async -> Bool {
        do {
            try await host.reach(offer, near: signal)
            return true
        } catch {
            logger.notice(
                "\(offer) seems to be near, but its rule could not reach it there: \(BatonError(anyError: error))",
                metadata: Self.caused(byOffer: offer))
            return false
        }
    }
}
