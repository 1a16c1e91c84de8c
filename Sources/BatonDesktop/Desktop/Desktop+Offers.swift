// SPDX-License-Identifier: Apache-2.0

public import BatonBus
import DesktopEntries
import Logging

/// The offers, and what becomes of each here: whether it is shown, whether a rule continues it, and
/// whether a panel has it.
extension Desktop {
    /// The offers that programs have been told of, by their identifiers.
    public var offers: [String: OfferSummary] { known.summaries }

    /// An offer appeared, or changed.
    ///
    /// - Returns: The offer with the app that would continue it.
    public func offered(_ offer: OfferSummary) async -> OfferSummary {
        await askSession()
        // From here on nothing may come in between.
        let activity = await host.activity(of: offer.offer)
        let offer = decorated(offer)
        // It has gone by now, and its end is told next.
        guard let activity else { return offer }
        known.appeared(offer, of: activity)
        refresh(offer)
        tellPanel()
        return offer
    }

    /// An offer is gone.
    public func withdrawn(_ offer: String) {
        guard let summary = known[offer] else { return }
        known.withdrawn(offer)
        board.carryOut(plan.withdrawn(summary))
        nearRules.withdrawn(offer)
        tellPanel()
    }

    /// The offer with the app that would continue it.
    public func decorated(_ offer: OfferSummary) -> OfferSummary {
        var offer = offer
        offer.application = choice.application(for: offer, in: index)?.identifier
        offer.isHidden = settings.action(for: offer) == .never
        return offer
    }

    var choice: AppChoice { AppChoice(defaults: settings.defaultApps) }

    /// Tells of the offers that another app would continue now, or that a rule hides now or no
    /// more.
    func chooseAppsAgain() async {
        for name in offers.keys {
            // As it is now: it may have changed, or gone, while another was told of.
            guard let offer = known[name], case let changed = decorated(offer), changed != offer else { continue }
            known.changed(changed)
            refresh(changed)
            await host.tellChanged(changed)
        }
    }

    /// Something has changed that concerns all that the user sees.
    func refreshAll() {
        for offer in offers.values { refresh(offer) }
        board.carryOut(plan.restyled(style))
        showQuestions()
        tellPanel()
    }

    /// Something has changed that concerns an offer.
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
            of: offer, app: choice.application(for: offer, in: index), isFromHere: activity.isFromHere,
            findsPlace: openedPages.hasBeenFollowed)
    }

    /// Whether the user is there for an offer that is not being opened yet.
    private func isFree(_ offer: OfferSummary, _ action: Rule.Action) -> Bool {
        presence.showsOffers && openings[offer.offer] == nil && action != .never
    }

    /// How notifications look on the screen as it is now.
    var style: NotificationStyle {
        NotificationStyle(onLockScreen: settings.onLockScreen, isLocked: presence.session.isLocked)
    }

    /// Says what panels are to show, when that is not what they were told before.
    func tellPanel() {
        let continuable = offers.values.filter {
            isFree($0, settings.action(for: $0)) && ($0.application != nil || $0.hasWebpage)
        }
        panel.tell(pause: pause, offers: continuable, withheld: withheld)
    }

    // MARK: - Rules

    /// Continues what is near, now or as soon as it may: asked whenever the offers, the session,
    /// the apps or the time have changed.
    func continueWhatIsNear() {
        for (offer, signal) in nearRules.take(at: clock.uptime(), where: { mayContinueByItself($0) }) {
            Task { await continueByRule(offer, near: signal) }
        }
    }

    /// A rule continues only what an app can continue, and the user can see it continue.
    private func mayContinueByItself(_ offer: String) -> Bool {
        presence.isUnlocked && !presence.isPaused && openings[offer] == nil && known[offer]?.application != nil
    }

    /// Before an app is started, or the user sees anything, the device has answered near by.
    private func continueByRule(_ offer: String, near signal: Int) async {
        let isFromHere = await host.activity(of: offer)?.isFromHere ?? false
        let isReached = isFromHere ? true : await reaches(offer, near: signal)
        let mayContinue = mayContinueByItself(offer)
        guard nearRules.answered(offer, isReached: isReached, mayContinue: mayContinue, at: clock.uptime()) else {
            return
        }
        // Two laptops would hand over to each other for ever.
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
