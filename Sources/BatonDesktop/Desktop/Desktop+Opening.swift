// SPDX-License-Identifier: Apache-2.0

import ActivityModel
public import BatonBus
import DesktopEntries
import FoundationEssentials

/// Handing an offered activity to an app, or to the browser.
extension Desktop {
    /// Has an app take an offered activity over; returns once it has.
    ///
    /// - Throws: ``BatonError``; the app, or else the user, has been told by then, but of what
    ///   could not even begin: `notFound` and `limitReached`.
    public func open(_ offer: String, options: OpenOptions) async throws -> OpenedOffer {
        let opening = try begin(offer, options)
        return try await withTaskCancellationHandler {
            try await opening.value
        } onCancel: {
            opening.cancel()
        }
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
        try openings.checkRoom(for: offer)
        let opening = Task {
            defer { ended(offer) }
            do {
                let opened = try await carryOut(summary, options, near: signal)
                known.settled(offer)
                nearRules.continued(offer)
                if signal == nil { plan.continued(from: summary.device) }
                await host.tellProgress(OfferProgress(offer: offer, phase: .done, opened: opened))
                return opened
            } catch {
                let error = BatonError(anyError: error)
                await host.tellProgress(
                    OfferProgress(offer: offer, phase: .failed, opened: receivingApp(offer), error: error))
                throw error
            }
        }
        openings.begin(offer, opening)
        withdrawNotice(.failure(offer))
        refresh(summary)
        tellPanel()
        return opening
    }

    /// The app that an offer is handed to; nil for the browser, and while that is not decided.
    func receivingApp(_ offer: String) -> OpenedOffer? {
        openings.receiver(of: offer).map { .application($0.app.identifier) }
    }

    private func ended(_ offer: String) {
        openings.ended(offer)
        if let offer = known[offer] { refresh(offer) }
        tellPanel()
    }

    /// Gives up what ``open(_:options:)`` is doing; nothing happens when it is not.
    func cancel(_ offer: String) { openings.cancel(offer) }

    /// Gives up what ``open(_:options:)`` is doing, for a program that asks for it; nothing happens
    /// when it is not.
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
        cancel(offer)
    }

    private func isApp(_ app: String?, _ client: ClientID, _ caller: Caller) async -> Bool {
        guard let app else { return false }
        if caller.applicationID == app { return true }
        return await environment.launcher.owner(of: app) == client
    }

    /// Opens an offer for a click: nobody waits for the outcome, and the user is told whatever
    /// fails.
    func openForClick(_ offer: String, token: String?) {
        do {
            _ = try begin(offer, OpenOptions(activationToken: token))
        } catch {
            tellUser(offer, of: known[offer], nil, BatonError(anyError: error))
        }
    }

    private func carryOut(
        _ offer: OfferSummary, _ options: OpenOptions, near signal: Int?
    ) async throws -> OpenedOffer {
        await askSession()
        let coming = ComingActivity(
            type: offer.type ?? "", offer: offer.offer, deviceName: offer.deviceName, title: offer.title,
            activationToken: options.activationToken)
        let page = try await fetchedPage(coming, of: offer, options, near: signal)
        if let page = pageForApp(page, options) { return try await open(page, coming) }
        let app: DesktopEntry
        do {
            guard let chosen = try chosenApp(for: offer, options) else {
                return try await openWebPage(coming, fetched: page, timeout: options.timeout, near: signal)
            }
            app = chosen
            openings.chose(
                Openings.Receiver(app: app, type: offer.type ?? "", team: offer.team ?? ""), for: offer.offer)
        } catch {
            let error = BatonError(anyError: error)
            if let page { await host.accept(page.continuation, by: nil, accepted: false) }
            tellUser(offer.offer, of: offer, nil, error)
            throw error
        }
        try await AppHandover(
            of: coming, to: app, launcher: environment.launcher,
            fetcher: OfferFetcher(host: host, offer: offer, timeout: options.timeout, signal: signal, fetched: page),
            notices: self, waitsForActivity: signal != nil, isHere: page != nil,
            adaptedApp: { [index] in AdaptedApp.choose(for: $0.activity, by: app, in: index) }
        ).run()
        return .application(app.identifier)
    }

    /// The app that was asked for, or the best; nil when the browser is to open the activity's
    /// page.
    private func chosenApp(for offer: OfferSummary, _ options: OpenOptions) throws -> DesktopEntry? {
        let candidates = applications(for: offer)
        if let wanted = options.application {
            guard let app = candidates.first(where: { $0.identifier == wanted }) else {
                if let app = keeper.missing(offer.type ?? "", team: offer.team ?? "", wanted) {
                    throw BatonError(
                        .notAllowed,
                        "\(wanted) is sandboxed, and may not have this activity: 'baton grants allow \(app)' allows it")
                }
                throw BatonError(
                    .applicationFailed,
                    "\(wanted) does not continue this activity: its desktop entry has to name the type in "
                        + "X-Baton-ActivityTypes, and the publisher's X-Baton-Team")
            }
            return app
        }
        if candidates.isEmpty, !offer.hasWebpage {
            throw BatonError(
                .applicationFailed,
                "no app here continues \(offer.type ?? "this type of activity"), and it has no web page; "
                    + (appOfAnotherTeam(offer) ?? "'baton continue' shows what it holds"))
        }
        return application(for: offer)
    }

    /// Which app continues the type for another team, and what to do; nil when none does.
    private func appOfAnotherTeam(_ offer: OfferSummary) -> String? {
        guard let type = offer.type else { return nil }
        let others = index.entries.values.filter { $0.continuableTypes.contains(type) }
        guard let app = others.min(by: { $0.identifier < $1.identifier }) else { return nil }
        func name(_ team: String?) -> String { team.flatMap { $0.isEmpty ? nil : "the team '\($0)'" } ?? "no team" }
        return "\(app.identifier) does so for \(name(app.team)), and this is of \(name(offer.team)): "
            + "X-Baton-Team and the publisher's team have to be the same"
    }

    private func openWebPage(
        _ coming: ComingActivity, fetched: ContinuedActivity?, timeout: Duration?, near signal: Int?
    ) async throws -> OpenedOffer {
        if fetched == nil { await reached(.fetching, coming) }
        show(.progress(coming, nil), .progress(coming.offer))
        defer { withdrawNotice(.progress(coming.offer)) }
        let activity =
            if let fetched { fetched } else {
                try await host.fetch(coming.offer, timeout: timeout, near: signal)
            }
        await reached(.starting, coming)
        do {
            let page = try Self.address(of: activity)
            try await withPage(of: activity) {
                try await environment.pages.open(page, activationToken: coming.activationToken)
            }
            await host.accept(activity.continuation, by: nil, accepted: true)
            return .webpage(page)
        } catch {
            await host.accept(activity.continuation, by: nil, accepted: false)
            throw error
        }
    }
}

extension Desktop {
    /// What a browser is started with: an address that another laptop may have opened here.
    private static func address(of activity: ContinuedActivity) throws -> String {
        guard let page = activity.activity.webpageURL else {
            throw BatonError(.applicationFailed, "the activity has no web page any more")
        }
        do throws(WebAddress.Refusal) {
            return try WebAddress(arriving: page.absoluteString).url.absoluteString
        } catch {
            throw BatonError(.applicationFailed, "the activity's page is not opened here: \(error.reason)")
        }
    }
}

/// Fetches one offer.
private struct OfferFetcher: ActivityFetcher {
    let host: any DesktopHost
    let offer: OfferSummary
    let timeout: Duration?
    let signal: Int?
    /// What is here already.
    let fetched: ContinuedActivity?

    func fetch() async throws -> ContinuedActivity {
        if let fetched { return fetched }
        return try await host.fetch(offer.offer, timeout: timeout, near: signal)
    }
    func give(_ continuation: String, to app: ClientID) async throws {
        try await host.give(continuation, of: offer, to: app)
    }
    func accept(_ continuation: String, by app: ClientID, accepted: Bool) async {
        await host.accept(continuation, by: app, accepted: accepted)
    }
    func decline(_ continuation: String) async { await host.accept(continuation, by: nil, accepted: false) }
}
