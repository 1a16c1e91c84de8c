// SPDX-License-Identifier: Apache-2.0

import ActivityModel
public import BatonBus
public import DesktopEntries
import Diagnosis
import Logging
import Wording

/// Hand-overs of offers and search results to apps and to the browser.
extension Desktop {
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
    /// - Throws: ``BatonError``. The app or the user has already been informed, except if the
    ///   hand-over could not begin, because the app is gone or has no permission, or because of
    ///   `limitReached`.
    public func open(_ result: SearchResult) async throws {
        await askSession()
        let app = try usableApps.app(of: result)
        let opening = SavedOpening(result: result, app: app, desktop: self, host: host, launcher: launcher)
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
        guard let summary = known[offer] else {
            throw BatonError(.notFound, .offerGone)
        }
        let opening = OfferOpening(
            offer: summary, options: options, signal: signal, desktop: self, host: host, launcher: launcher,
            pages: pages)
        return try begin(offer) { try await self.carryOut(opening) }
    }

    private func begin(
        _ id: String, to receiver: Openings.Receiver? = nil,
        _ body: @escaping @Sendable () async throws -> OpenedOffer
    ) throws -> Task<OpenedOffer, any Error> {
        try openings.checkRoom(for: id)
        let task = Task {
            defer { ended(id) }
            return try await body()
        }
        openings.begin(id, task, to: receiver)
        withdraw(.failure, of: id)
        openingChanged(id)
        return task
    }

    private func carryOut(_ opening: OfferOpening) async throws -> OpenedOffer {
        let offer = opening.offer.offer
        do {
            let opened = try await opening.run()
            known.settled(offer)
            nearRules.continued(offer)
            if opening.signal == nil { plan.continued(from: opening.offer.device) }
            await host.tellProgress(OfferProgress(offer: offer, phase: .done, opened: opened))
            return opened
        } catch {
            let error = BatonError(anyError: error)
            await host.tellProgress(
                OfferProgress(offer: offer, phase: .failed, opened: receivingApp(offer), error: error))
            throw error
        }
    }

    private func ended(_ id: String) {
        openings.ended(id)
        openingChanged(id)
    }

    private func openingChanged(_ id: String) {
        if let offer = known[id] { refresh(offer) }
        tellPanel()
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
        openings.receiver(of: offer).map { .application($0.app.identifier) }
    }

    /// Cancels an opening at a program's request. Does nothing if there is no such opening.
    ///
    /// - Parameters:
    ///   - caller: The identified program.
    ///   - mayManage: Whether the program acts for the user. Any other program may cancel only
    ///     hand-overs to itself.
    /// - Throws: ``BatonError`` with `notAllowed`.
    public func cancel(_ offer: String, by client: ClientID, _ caller: Caller, mayManage: Bool) async throws {
        guard openings[offer] != nil else { return }
        if !mayManage {
            let app = openings.receiver(of: offer)?.app.identifier
            let isReceiver = await isApp(app, client, caller)
            // The opening may have been replaced by another one during the call.
            guard isReceiver, openings.receiver(of: offer)?.app.identifier == app else {
                throw BatonError(.notAllowed, .sandboxedCaller)
            }
        }
        openings.cancel(offer)
    }

    private func isApp(_ app: String?, _ client: ClientID, _ caller: Caller) async -> Bool {
        guard let app else { return false }
        if caller.applicationID == app { return true }
        return await launcher.owner(of: app) == client
    }

    // MARK: - Decisions for an opening

    /// Returns whether an offer may be a page whose domain has approved an app. The page's address,
    /// and thus its domain, is known only after the fetch.
    func mayBeForApp(_ offer: OfferSummary) -> Bool {
        offer.type == ActivityState.browsingWeb && offer.team?.isEmpty == true && settings.asksDomains
            && usableApps.domains.isInUse
    }

    /// Decides which app gets an offer, or returns nil for the browser.
    ///
    /// - Throws: ``BatonError`` when there is no such app.
    func recipient(
        of offer: OfferSummary, fetched page: ContinuedActivity?, _ options: OpenOptions
    ) throws -> (app: DesktopEntry, team: String?)? {
        let recipient = try usableApps.recipient(of: offer, fetched: page, wanted: options.application, choice)
        guard let (app, team) = recipient else { return nil }
        let receiver = Openings.Receiver(
            app: app, type: offer.type ?? "", team: team == nil ? offer.team ?? "" : "")
        openings.chose(receiver, for: offer.offer)
        return recipient
    }

    /// Runs a body that opens an activity's page in the browser. Browser extensions are informed
    /// first, because the tab may open before the body returns.
    func withPage(
        of activity: ContinuedActivity, _ open: @Sendable () async throws -> Void
    ) async throws {
        guard let page = openedPages.add(activity) else { return try await open() }
        for follower in openedPages.followers { await host.tellOpened(page, to: follower) }
        do {
            try await open()
        } catch {
            _ = openedPages.remove(page.page)
            throw error
        }
        openedPages.opened(page.page, at: clock.uptime())
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

    func show(_ notice: HandoverNotice, of id: String) { board.carryOut(plan.tell(notice, of: id, in: style)) }

    func withdraw(_ kind: NotificationKey.Kind, of id: String) {
        board.carryOut(plan.withdraw(NotificationKey(kind, id)))
    }

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
        guard openings[coming.offer] != nil else { return }
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
