// SPDX-License-Identifier: Apache-2.0

import ActivityModel
public import BatonBus
public import DesktopEntries
import Diagnosis
import Logging
import Wording

/// Offers, and the hand-overs of offers and search results to apps and to the browser.
extension Desktop {
    /// The offers that the daemon has announced on the bus, by their ids.
    public var offers: [String: OfferSummary] { core.known.summaries }

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
        if let activity { carryOut(core.offered(offer, of: activity, at: clock.uptime())) }
        return offer
    }

    /// Records that an offer was withdrawn.
    public func withdrawn(_ offer: String) { carryOut(core.withdrawn(offer)) }

    /// Returns an offer with the app that would continue it, and whether a rule hides it.
    public func decorated(_ offer: OfferSummary) -> OfferSummary { core.decorated(offer) }

    /// Announces each offer whose app has changed, or that a rule hides or shows now.
    func chooseAppsAgain() async {
        for name in offers.keys {
            // The offer may have changed or been withdrawn during the last call.
            guard let (offer, actions) = core.chooseApp(for: name, at: clock.uptime()) else { continue }
            carryOut(actions)
            await host.tellChanged(offer)
        }
    }

    /// Hands an offered activity to an app or the browser, and returns when that is done.
    ///
    /// - Throws: ``BatonError``. The app or the user has already been informed, except for
    ///   `notFound` and `limitReached`, which mean that the hand-over could not begin.
    public func open(_ offer: String, options: OpenOptions) async throws -> OpenedOffer {
        try await Self.outcome(of: begin(offer, options))
    }

    /// Hands a saved activity back to the app that saved it.
    ///
    /// As with an offer, the app, the user, or the cancellation of the caller's task can cancel the
    /// hand-over.
    ///
    /// - Throws: ``BatonError``. Usually the app or the user already knows. They do not know if the
    ///   hand-over could not begin: the app is gone, the app has no permission, or the error is
    ///   `limitReached`.
    public func open(_ result: SearchResult) async throws {
        await askSession()
        let app = try core.apps.app(of: result)
        let opening = SavedOpening(result: result, app: app, desktop: self)
        let receiver = Openings.Receiver(app: app, type: result.activity.state.activityType, team: app.team ?? "")
        let task = try begin(result.id, to: receiver, opening.run)
        _ = try await Self.outcome(of: task)
    }

    /// Starts the task that opens an offer, and returns it. The task continues if the caller drops
    /// it.
    ///
    /// - Parameter signal: The signal strength in dBm at which a rule requires the device to be
    ///   heard, or nil if the user chose the offer.
    func begin(
        _ offer: String, _ options: OpenOptions = OpenOptions(), near signal: Int? = nil
    ) throws -> Task<OpenedOffer, any Error> {
        guard let summary = core.known[offer] else { throw BatonError(.notFound, .offerGone) }
        let opening = OfferOpening(offer: summary, options: options, signal: signal, desktop: self)
        return try begin(offer) { try await self.carryOut(opening) }
    }

    private func begin(
        _ id: String, to receiver: Openings.Receiver? = nil,
        _ body: @escaping @Sendable () async throws -> OpenedOffer
    ) throws -> Task<OpenedOffer, any Error> {
        try core.openings.checkRoom(for: id)
        let task = Task {
            defer { carryOut(core.ended(id, at: clock.uptime())) }
            return try await body()
        }
        carryOut(core.began(id, task, to: receiver, at: clock.uptime()))
        return task
    }

    private func carryOut(_ opening: OfferOpening) async throws -> OpenedOffer {
        let offer = opening.offer.offer
        do {
            let opened = try await opening.run()
            core.continued(opening.offer, byRule: opening.signal != nil)
            await host.tellProgress(OfferProgress(offer: offer, phase: .done, opened: opened))
            return opened
        } catch {
            let error = BatonError(anyError: error)
            await host.tellProgress(
                OfferProgress(offer: offer, phase: .failed, opened: receivingApp(offer), error: error))
            throw error
        }
    }

    private static func outcome(of opening: Task<OpenedOffer, any Error>) async throws -> OpenedOffer {
        try await withTaskCancellationHandler {
            try await opening.value
        } onCancel: {
            opening.cancel()
        }
    }

    /// Returns the app that an offer is handed to, or nil for the browser and before the decision.
    private func receivingApp(_ offer: String) -> OpenedOffer? {
        core.openings.receiver(of: offer).map { .application($0.app.identifier) }
    }

    /// Cancels an opening at a program's request. Does nothing if there is no such opening.
    ///
    /// - Parameters:
    ///   - caller: The identified program.
    ///   - mayManage: Whether the program acts for the user. Any other program may cancel only
    ///     hand-overs to itself.
    /// - Throws: ``BatonError`` with `notAllowed`.
    public func cancel(_ offer: String, by client: ClientID, _ caller: Caller, mayManage: Bool) async throws {
        guard core.openings[offer] != nil else { return }
        if !mayManage {
            let app = core.openings.receiver(of: offer)?.app.identifier
            let isReceiver = await isApp(app, client, caller)
            // The opening may have been replaced by another one during the call.
            guard isReceiver, core.openings.receiver(of: offer)?.app.identifier == app else {
                throw BatonError(.notAllowed, .sandboxedCaller)
            }
        }
        core.openings.cancel(offer)
    }

    private func isApp(_ app: String?, _ client: ClientID, _ caller: Caller) async -> Bool {
        guard let app else { return false }
        if caller.applicationID == app { return true }
        return await launcher.owner(of: app) == client
    }

    // MARK: - Rules

    /// Continues an offer by its rule. First the device must answer at close range. Until then no
    /// app starts and the user sees nothing.
    func continueByRule(_ offer: String, near signal: Int) async {
        let isFromHere = await host.activity(of: offer)?.isFromHere ?? false
        let isReached = isFromHere ? true : await reaches(offer, near: signal)
        guard core.answered(offer, isReached: isReached, at: clock.uptime()) else { return }
        // Do not continue an activity that this laptop handed over. Otherwise two laptops would
        // hand it to each other for ever.
        guard !isFromHere else {
            return logger.debug("\(offer) came near; this device gave it away, or has it open")
        }
        do {
            _ = try await begin(offer, near: signal).value
        } catch {
            let error = BatonError(anyError: error)
            logger.notice("\(offer) was not continued by its rule: \(error)", metadata: Self.caused(byOffer: offer))
            core.nearRules.failed(offer, error.code, at: clock.uptime())
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

    // MARK: - Steps of an opening

    /// Decides which app gets an offer, or returns nil for the browser.
    ///
    /// - Throws: ``BatonError`` when there is no such app.
    func recipient(
        of offer: OfferSummary, fetched page: ContinuedActivity?, _ options: OpenOptions
    ) throws -> (app: DesktopEntry, team: String?)? {
        let recipient = try core.apps.recipient(of: offer, fetched: page, wanted: options.application, core.choice)
        guard let (app, team) = recipient else { return nil }
        let receiver = Openings.Receiver(app: app, type: offer.type ?? "", team: team == nil ? offer.team ?? "" : "")
        core.openings.chose(receiver, for: offer.offer)
        return recipient
    }

    /// Runs a body that opens an activity's page in the browser. Browser extensions are informed
    /// first, because the tab may open before the body returns.
    func withPage(of activity: ContinuedActivity, _ open: @Sendable () async throws -> Void) async throws {
        guard let page = core.openedPages.add(activity) else { return try await open() }
        for follower in core.openedPages.followers { await host.tellOpened(page, to: follower) }
        do {
            try await open()
        } catch {
            _ = core.openedPages.remove(page.page)
            throw error
        }
        core.openedPages.opened(page.page, at: clock.uptime())
    }

    // MARK: - Notices for the user

    /// Tells the user why an offer was not continued, unless the user cancelled it.
    ///
    /// - Parameter known: The offer, or nil if it was withdrawn.
    func tellUser(_ offer: String, of known: OfferSummary?, _ error: BatonError) {
        logger.notice("\(offer) was not continued: \(error)", metadata: Self.caused(byOffer: offer))
        guard error.code != .userCancelled else { return }
        show(.failure(from: known?.deviceName, nil, error.text(on: .notification)), of: offer)
    }

    func show(_ notice: HandoverNotice, of id: String) { carryOut(core.tell(notice, of: id)) }

    func withdraw(_ kind: NotificationKey.Kind, of id: String) { carryOut(core.withdraw(kind, of: id)) }

    /// Returns the log metadata that names the device behind an offer. The offer's id begins with
    /// the device's id.
    static func caused(byOffer offer: String) -> Logger.Metadata {
        [LogMetadata.cause: "\(offer.prefix { $0 != "-" })"]
    }
}

/// The notices of hand-overs for apps that show none themselves.
///
/// `notifications = off` is about offers only. Notices of a hand-over that the user chose, by a
/// click or by a rule, appear even then.
extension Desktop: HandoverNotices {
    /// Announces the hand-over's phase on the bus.
    public func reached(_ phase: OfferProgress.Phase, _ coming: ComingActivity) async {
        guard core.openings[coming.offer] != nil else { return }
        await host.tellProgress(
            OfferProgress(offer: coming.offer, phase: phase, opened: receivingApp(coming.offer)))
    }

    /// Shows that the activity is on its way.
    public func began(_ coming: ComingActivity, by app: DesktopEntry) {
        show(.progress(coming, app), of: coming.offer)
    }

    /// Withdraws the progress notification.
    public func ended(_ coming: ComingActivity) { withdraw(.progress, of: coming.offer) }

    /// Shows why the activity could not be continued.
    public func failed(_ coming: ComingActivity, by app: DesktopEntry, _ error: BatonError) {
        logger.notice(
            "\(app.identifier) did not continue \(coming.type): \(error)",
            metadata: Self.caused(byOffer: coming.offer))
        show(.failure(from: coming.deviceName, app, error.text(on: .notification)), of: coming.offer)
    }
}
