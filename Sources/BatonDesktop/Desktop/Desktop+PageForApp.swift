// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonBus
import DesktopEntries
import FoundationEssentials

/// A page of another laptop's browser that an app here continues, because its domain agrees.
extension Desktop {
    /// Fetches an offered page where an app may be the one to continue it, for only its address
    /// says which one; nil for all else.
    func fetchedPage(
        _ coming: ComingActivity, of offer: OfferSummary, _ options: OpenOptions, near signal: Int?
    ) async throws -> ContinuedActivity? {
        guard offer.type == ActivityState.browsingWeb, offer.team?.isEmpty == true, settings.asksDomains,
            inquiries.isInUse
        else { return nil }
        await reached(.fetching, coming)
        show(.progress(coming, nil), .progress(coming.offer))
        defer { withdrawNotice(.progress(coming.offer)) }
        do {
            return try await host.fetch(coming.offer, timeout: options.timeout, near: signal)
        } catch {
            let error = BatonError(anyError: error)
            tellUser(coming.offer, of: offer, nil, error)
            throw error
        }
    }

    /// The app that continues a page, with what it is given: the address and the title, and nothing
    /// that the browser had to say to another browser. Nil when no app does.
    func pageForApp(_ page: ContinuedActivity?, _ options: OpenOptions) -> PageForApp? {
        guard var page, let url = page.activity.webpageURL,
            let (identifier, team) = inquiries.application(for: url),
            let app = index.entries[identifier], options.application ?? identifier == identifier
        else { return nil }
        page.activity.userInfo = [:]
        page.activity.requiredUserInfoKeys = []
        return PageForApp(app: app, team: team, activity: page, host: host)
    }

    func open(_ page: PageForApp, _ coming: ComingActivity) async throws -> OpenedOffer {
        openings.chose(Openings.Receiver(app: page.app, type: coming.type, team: ""), for: coming.offer)
        var coming = coming
        coming.title = page.activity.activity.title
        try await AppHandover(
            of: coming, to: page.app, launcher: environment.launcher, fetcher: page, notices: self, isHere: true
        ).run()
        return .application(page.app.identifier)
    }
}

/// A page that is here, and the app that is to have it.
struct PageForApp: ActivityFetcher {
    let app: DesktopEntry
    /// The team by which the domain has approved the app.
    let team: String
    let activity: ContinuedActivity
    let host: any DesktopHost

    func fetch() async throws -> ContinuedActivity { activity }
    func give(_ continuation: String, to client: ClientID) async throws {
        try await host.givePage(continuation, to: client, called: app.identifier, of: team)
    }
    func accept(_ continuation: String, by client: ClientID, accepted: Bool) async {
        await host.accept(continuation, by: client, accepted: accepted)
    }
    func decline(_ continuation: String) async { await host.accept(continuation, by: nil, accepted: false) }
}
