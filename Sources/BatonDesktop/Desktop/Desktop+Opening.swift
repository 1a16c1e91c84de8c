// SPDX-License-Identifier: Apache-2.0

import ActivityModel
public import BatonBus
public import DesktopEntries
import Logging

/// Hand-overs to apps and to the browser, of an offer or of a search result.
extension Desktop {
    /// Has an app take an offered activity over; returns once it has.
    ///
    /// - Throws: ``BatonError``; the app, or else the user, has been told by then, but of what
    ///   could not even begin: `notFound` and `limitReached`.
    public func open(_ offer: String, options: OpenOptions) async throws -> OpenedOffer {
        try await Self.outcome(of: begin(offer, options))
    }

    /// Has an app go to an activity of its own that was kept.
    ///
    /// Like an offer it can be given up while it is under way: by the app, by the user, and by
    /// cancelling the caller's task.
    ///
    /// - Throws: ``BatonError``; the app, or else the user, has been told by then, but of
    ///   `limitReached`.
    public func open(_ result: SearchResult) async throws {
        await askSession()
        guard let app = index.entries[result.application] else {
            throw BatonError(.applicationFailed, "\(result.application) is not installed any more")
        }
        let (type, team) = (result.activity.state.activityType, app.team ?? "")
        guard keeper.permits(type, team: team, to: app) else {
            throw BatonError(
                .notAllowed, "\(app.identifier) is sandboxed, and may not have \(type): see 'baton grants'")
        }
        let opening = SavedOpening(result: result, app: app, desktop: self, host: host, launcher: launcher)
        let task = try begin(result.id, to: Openings.Receiver(app: app, type: type, team: team), opening.run)
        _ = try await Self.outcome(of: task)
    }

    /// Begins to open an offer, which then goes on by itself.
    ///
    /// - Parameter signal: For a rule: how strongly the device has to be heard where it is asked;
    ///   nil: the user wants it.
    func begin(
        _ offer: String, _ options: OpenOptions = OpenOptions(), near signal: Int? = nil
    ) throws -> Task<OpenedOffer, any Error> {
        guard let summary = known[offer] else {
            throw BatonError(
                .notFound, "there is no offer \(offer) any more; 'baton nearby' lists those there are")
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

    /// The app that an offer is handed to; nil for the browser, and while that is not decided.
    private func receivingApp(_ offer: String) -> OpenedOffer? {
        openings.receiver(of: offer).map { .application($0.app.identifier) }
    }

    /// Gives up what is being opened, for a program that asks for it; nothing happens when it is
    /// not.
    ///
    /// - Parameters:
    ///   - caller: Who the program is.
    ///   - mayManage: Whether it speaks for the user; another may give up only what it is itself
    ///     being handed.
    /// - Throws: ``BatonError`` with `notAllowed`.
    public func cancel(_ offer: String, by client: ClientID, _ caller: Caller, mayManage: Bool) async throws {
        guard openings[offer] != nil else { return }
        if !mayManage {
            let app = openings.receiver(of: offer)?.app.identifier
            let isReceiver = await isApp(app, client, caller)
            // What has been begun anew meanwhile is not what was asked about.
            guard isReceiver, openings.receiver(of: offer)?.app.identifier == app else {
                throw BatonError(
                    .notAllowed, "Cancel: a sandboxed program gives up only what it is itself being handed")
            }
        }
        openings.cancel(offer)
    }

    private func isApp(_ app: String?, _ client: ClientID, _ caller: Caller) async -> Bool {
        guard let app else { return false }
        if caller.applicationID == app { return true }
        return await launcher.owner(of: app) == client
    }

    // MARK: - What an opening asks

    /// Whether an offer's page may be for an app, whose domain has approved it.
    func mayBeForApp(_ offer: OfferSummary) -> Bool {
        offer.type == ActivityState.browsingWeb && offer.team?.isEmpty == true && settings.asksDomains
            && domainKeeper.isInUse
    }

    /// Decides which app gets an offer. The team is that by which the domain of a page, which was
    /// fetched to decide this, has approved the app. Nil when the browser is to open the page.
    ///
    /// - Throws: ``BatonError`` when there is no such app.
    func recipient(
        of offer: OfferSummary, fetched page: ContinuedActivity?, _ options: OpenOptions
    ) throws -> (app: DesktopEntry, team: String?)? {
        let type = offer.type ?? ""
        if let url = page?.activity.webpageURL, let (identifier, team) = domainKeeper.application(for: url),
            let app = index.entries[identifier], options.application ?? identifier == identifier
        {
            openings.chose(Openings.Receiver(app: app, type: type, team: ""), for: offer.offer)
            return (app, team)
        }
        guard let app = try choice.application(options.application, for: offer, in: index, keeper) else { return nil }
        openings.chose(Openings.Receiver(app: app, type: type, team: offer.team ?? ""), for: offer.offer)
        return (app, nil)
    }

    /// Has the browser open an activity's page, of which extensions are told before: the tab may be
    /// there before the body returns.
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

    // MARK: - What the user is told

    /// Tells the user why an offer is not continued; what the user gave up is no news.
    ///
    /// - Parameter known: The offer; nil when it has gone.
    func tellUser(_ offer: String, of known: OfferSummary?, _ error: BatonError) {
        logger.notice("\(offer) was not continued: \(error)", metadata: Self.caused(byOffer: offer))
        guard error.code != .userCancelled else { return }
        show(.failure(from: known?.deviceName, nil, error.message), of: offer)
    }

    func show(_ notice: HandoverNotice, of id: String) { board.carryOut(plan.tell(notice, of: id, in: style)) }

    func withdraw(_ kind: NotificationKey.Kind, of id: String) {
        board.carryOut(plan.withdraw(NotificationKey(kind, id)))
    }

    /// What a line of the log says of who can cause it: an offer's name begins with its device's
    /// id.
    static func caused(byOffer offer: String) -> Logger.Metadata {
        [LogMetadata.cause: "\(offer.prefix { $0 != "-" })"]
    }
}

/// What the user is told of hand-overs where the app does not. `notifications = off` is about
/// offers: of what the user has chosen, by a click or by a rule, there is word all the same.
extension Desktop: HandoverNotices {
    /// Tells everyone on the bus.
    public func reached(_ phase: OfferProgress.Phase, _ coming: ComingActivity) async {
        guard openings[coming.offer] != nil else { return }
        await host.tellProgress(
            OfferProgress(offer: coming.offer, phase: phase, opened: receivingApp(coming.offer)))
    }

    /// Shows that the activity is on its way.
    public func began(_ coming: ComingActivity, by app: DesktopEntry) {
        show(.progress(coming, app), of: coming.offer)
    }

    /// Takes that away.
    public func ended(_ coming: ComingActivity) { withdraw(.progress, of: coming.offer) }

    /// Shows why the activity does not come.
    public func failed(_ coming: ComingActivity, by app: DesktopEntry, _ error: BatonError) {
        logger.notice(
            "\(app.identifier) did not continue \(coming.type): \(error)",
            metadata: Self.caused(byOffer: coming.offer))
        show(.failure(from: coming.deviceName, app, error.message), of: coming.offer)
    }
}
