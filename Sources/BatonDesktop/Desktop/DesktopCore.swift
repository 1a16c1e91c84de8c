// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import AssociatedDomains
import BatonBus
import DesktopEntries
import Diagnosis
import FoundationEssentials
import Wording

/// Decides what the desktop side shows, offers and continues.
///
/// The core receives events and the time, and returns the actions that ``Desktop`` carries out. The
/// core has no bus and never waits. An answer of the user or of a domain is saved before the core
/// returns. Only ``DomainKeeper`` reads the wall clock itself, for the ages of domains' answers.
struct DesktopCore: Sendable {
    enum Action: Hashable, Sendable {
        /// Changes a notification on the screen.
        case notify(NotificationChange)
        /// Sends panels their new state.
        case tellPanels(PanelStatus)
        /// Continues an offer by its rule, if its device answers at a signal strength in dBm.
        case continueByRule(String, near: Int)
        /// Asks a domain about the apps that claim it.
        case ask(DomainName)
        /// Reads the settings, because the names of devices in rules can be resolved now.
        case readSettings
        /// Advertises the activities and shows the offers that a pause had hidden.
        case endPause
    }

    var inForce = SettingsInForce()
    var presence: Presence
    var apps: UsableApps
    private(set) var known = KnownOffers()
    var nearRules = NearRules()
    var openings = Openings()
    var openedPages = OpenedPages()
    var welcome: WelcomeNotice
    var plan = NotificationPlan()
    var withheldItems = WithheldItems()
    private var panel = PanelFeed()
    /// The attendance that the daemon was last informed of.
    private var toldAttendance = Attendance.present

    init(presence: Presence, apps: UsableApps, welcome: WelcomeNotice) {
        (self.presence, self.apps, self.welcome) = (presence, apps, welcome)
    }

    var settings: Settings { inForce.settings }

    var withheld: [WithheldItem] { withheldItems.all(of: apps.adapters.active) }

    var choice: AppChoice { AppChoice(defaults: settings.defaultApps) }

    /// The style of notifications for the current state of the screen.
    private var style: NotificationStyle {
        NotificationStyle(onLockScreen: settings.onLockScreen, isLocked: presence.session.isLocked)
    }

    // MARK: - Time

    /// When to call ``timePassed(at:_:)`` next, or nil for never.
    var deadline: Duration? {
        [presence.deadline, nearRules.deadline, plan.deadline, openedPages.deadline, apps.domains.deadline]
            .compactMap(\.self).min()
    }

    mutating func timePassed(at uptime: Duration, _ date: Date) -> [Action] {
        openedPages.timePassed(at: uptime)
        nearRules.timePassed(at: uptime)
        var actions = continueWhatIsNear(at: uptime)
        for offer in plan.timePassed(at: uptime).compactMap({ known[$0] }) { actions += refresh(offer, at: uptime) }
        if let domain = apps.domains.timePassed(at: uptime, asks: settings.asksDomains) { actions.append(.ask(domain)) }
        if presence.timePassed(at: uptime, date) { actions.append(.endPause) }
        return actions
    }

    // MARK: - Offers

    mutating func offered(_ offer: OfferSummary, of activity: OfferedActivity, at uptime: Duration) -> [Action] {
        known.appeared(offer, of: activity)
        return refresh(offer, at: uptime) + tellPanels()
    }

    mutating func withdrawn(_ offer: String) -> [Action] {
        guard let summary = known[offer] else { return [] }
        known.withdrawn(offer)
        nearRules.withdrawn(offer)
        return plan.withdrawn(summary).map(Action.notify) + tellPanels()
    }

    /// Returns an offer with the app that would continue it, and whether a rule hides it.
    func decorated(_ offer: OfferSummary) -> OfferSummary {
        var offer = offer
        offer.application = choice.application(for: offer, in: apps.index)?.identifier
        offer.isHidden = action(for: offer) == .never
        return offer
    }

    private func action(for offer: OfferSummary) -> Rule.Action {
        settings.action(for: offer, browser: AppChoice.browser(in: apps.index))
    }

    /// Chooses the app for an offer again.
    ///
    /// - Returns: The changed offer, or nil if it has not changed or was withdrawn.
    mutating func chooseApp(for offer: String, at uptime: Duration) -> (offer: OfferSummary, actions: [Action])? {
        guard let offer = known[offer], case let changed = decorated(offer), changed != offer else { return nil }
        known.changed(changed)
        return (changed, refresh(changed, at: uptime))
    }

    /// Updates everything that the user sees.
    mutating func refreshAll(at uptime: Duration) -> [Action] {
        let offers = known.summaries.values.flatMap { refresh($0, at: uptime) }
        return offers + plan.restyled(style).map(Action.notify) + showQuestions(at: uptime) + tellPanels()
    }

    /// Updates the rules and the notification for one offer.
    private mutating func refresh(_ offer: OfferSummary, at uptime: Duration) -> [Action] {
        guard let activity = known.activity(of: offer.offer) else { return [] }
        let action = self.action(for: offer)
        let threshold: Int? = if case .near(let signal) = action, !presence.isPaused { signal } else { nil }
        nearRules.changed(offer, threshold: threshold, at: uptime)
        let near = continueWhatIsNear(at: uptime)
        let isWanted =
            settings.notifies && isFree(offer, action) && !known.isSettled(offer.offer) && known.isLatest(offer.offer)
        let notification = isWanted ? notification(of: offer, activity) : nil
        return near + plan.show(notification, of: offer, activity, at: uptime).map(Action.notify)
    }

    private func notification(of offer: OfferSummary, _ activity: OfferedActivity) -> Notification? {
        style.notification(
            of: offer, app: choice.application(for: offer, in: apps.index), isFromHere: activity.isFromHere,
            findsPlace: openedPages.hasBeenFollowed)
    }

    /// Returns whether an offer may be shown. The user must be present, and the offer must be
    /// neither in the process of opening nor hidden by a rule.
    private func isFree(_ offer: OfferSummary, _ action: Rule.Action) -> Bool {
        presence.showsOffers && openings[offer.offer] == nil && action != .never
    }

    /// Sends panels their new state, if it has changed.
    mutating func tellPanels() -> [Action] {
        let continuable = known.summaries.values.filter {
            isFree($0, action(for: $0)) && ($0.application != nil || $0.hasWebpage)
        }
        let status = panel.next(pause: presence.pause, offers: continuable, withheld: withheld)
        return status.map { [.tellPanels($0)] } ?? []
    }

    // MARK: - Rules

    /// Continues the offers of near devices that rules allow now. Called after each change of the
    /// offers, the session, the apps or the time.
    private mutating func continueWhatIsNear(at uptime: Duration) -> [Action] {
        nearRules.take(at: uptime, where: { [self] in mayContinueByItself($0) })
            .map { .continueByRule($0.offer, near: $0.signal) }
    }

    /// Records whether an offer's device answered at close range.
    ///
    /// - Returns: Whether to carry out the offer's rule now.
    mutating func answered(_ offer: String, isReached: Bool, at uptime: Duration) -> Bool {
        nearRules.answered(offer, isReached: isReached, mayContinue: mayContinueByItself(offer), at: uptime)
    }

    /// Returns whether a rule may continue an offer now. An app must be able to continue the offer,
    /// and the user must be able to see that.
    private func mayContinueByItself(_ offer: String) -> Bool {
        presence.isUnlocked && !presence.isPaused && openings[offer] == nil && known[offer]?.application != nil
    }

    // MARK: - Hand-overs

    /// Records that a hand-over of an offer or search result has begun.
    mutating func began(
        _ id: String, _ task: Task<OpenedOffer, any Error>, to receiver: Openings.Receiver? = nil,
        at uptime: Duration
    ) -> [Action] {
        openings.begin(id, task, to: receiver)
        return withdraw(.failure, of: id) + openingChanged(id, at: uptime)
    }

    mutating func ended(_ id: String, at uptime: Duration) -> [Action] {
        openings.ended(id)
        return openingChanged(id, at: uptime)
    }

    private mutating func openingChanged(_ id: String, at uptime: Duration) -> [Action] {
        (known[id].map { refresh($0, at: uptime) } ?? []) + tellPanels()
    }

    /// Records that an offer was continued, by the user or by a rule.
    mutating func continued(_ offer: OfferSummary, byRule: Bool) {
        known.settled(offer.offer)
        nearRules.continued(offer.offer)
        if !byRule { plan.continued(from: offer.device) }
    }

    /// Returns whether an offer may be a page whose domain has approved an app. The page's address,
    /// and thus its domain, is known only after the fetch.
    func mayBeForApp(_ offer: OfferSummary) -> Bool {
        offer.type == ActivityState.browsingWeb && offer.team?.isEmpty == true && settings.asksDomains
            && apps.domains.isInUse
    }

    /// Cancels the hand-overs to apps that may not have the activity any more.
    func cancelWhatIsNotPermitted() {
        for (id, receiver) in openings.receivers
        where !apps.grants.permits(receiver.type, team: receiver.team, to: receiver.app) {
            openings.cancel(id)
        }
    }

    // MARK: - Notifications

    mutating func tell(_ notice: HandoverNotice, of id: String) -> [Action] {
        plan.tell(notice, of: id, in: style).map(Action.notify)
    }

    mutating func withdraw(_ kind: NotificationKey.Kind, of id: String) -> [Action] {
        plan.withdraw(NotificationKey(kind, id)).map(Action.notify)
    }

    /// Records that a temporary notification has left the screen.
    mutating func hasExpired(_ key: NotificationKey) {
        plan.closed(key)
        // Mark the offer as settled. Otherwise its next change would show a notification again.
        if key.kind == .offer { known.settled(key.subject) }
    }

    /// Shows the open questions about sandboxed apps, if the user can answer them now.
    mutating func showQuestions(at uptime: Duration) -> [Action] {
        let isAskable = settings.notifies && presence.isUnlocked
        return apps.grants.ask(isAskable: isAskable, hasWindow: BatonWindow.isInstalled, at: uptime)
            .map(Action.notify)
    }

    // MARK: - The user and the daemon

    /// Returns how much attention the user gives to this laptop. Rules wait after the user was
    /// away, because the radio has not listened meanwhile.
    mutating func attend(at uptime: Duration) -> Attendance {
        let before = toldAttendance
        toldAttendance = presence.attendance
        if before == .away, toldAttendance != .away { nearRules.beginListening(at: uptime) }
        return toldAttendance
    }

    /// Records the daemon's own state. Without a circle, suggests adding another laptop.
    mutating func serviceChanged(to state: PanelStatus.State, because problem: Finding?) -> [Action] {
        let isInCircleNow = [.starting, .noCircle].contains(panel.service.state) && state != .noCircle
        panel.service = PanelStatus(state: state, reason: problem?.text(on: .notification) ?? "")
        let suggestion =
            state == .noCircle ? welcome.show(if: BatonWindow.isInstalled && settings.notifies) : welcome.remove()
        return tellPanels() + suggestion.map(Action.notify) + (isInCircleNow ? [.readSettings] : [])
    }

    /// Returns the problems that degrade the service. If there is no notification server, that is
    /// one of the problems.
    func findings(naming names: DeviceNames, screen: Finding?) -> [Finding] {
        var findings = inForce.findings(naming: names)
        // Use all claims, because an app that waits for permission is not a mistake in the
        // configuration.
        findings += choice.idleDefaults(in: apps.grants.claimed) + apps.adapters.idleSwitches
        if let screen { findings.append(screen) }
        findings += Set(nearRules.unheard.compactMap { known[$0]?.deviceName }).sorted().map(NearRules.finding)
        return findings + [apps.grants.finding, apps.adapters.finding].compactMap(\.self)
    }
}
