// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonBus
import DesktopEntries
import FoundationEssentials

/// Hands one offered activity to an app, or to the browser: the desktop's side decides to which,
/// and tells the user.
struct OfferOpening: Sendable {
    let offer: OfferSummary
    let options: OpenOptions
    /// For a rule: how strongly the device has to be heard where it is asked, in dBm; nil: the user
    /// wants it.
    let signal: Int?
    let desktop: Desktop
    let host: any DesktopHost
    let launcher: AppLauncher
    let pages: WebPageOpener
    /// The activity, where it had to be fetched to find who continues it.
    var fetched: ContinuedActivity?
    /// The app, and its team, where it continues a page because the page's domain has approved it.
    var approved: (app: String, team: String)?

    /// Runs it; a cancelled task cancels it.
    ///
    /// - Throws: ``BatonError``; by then the app, or else the user, has been told.
    func run() async throws -> OpenedOffer {
        await desktop.askSession()
        let coming = ComingActivity(
            type: offer.type ?? "", offer: offer.offer, deviceName: offer.deviceName, title: offer.title,
            activationToken: options.activationToken)
        var opening = self
        if await desktop.mayBeForApp(offer) { opening.fetched = try await fetchPage(coming) }
        return try await opening.handOver(coming)
    }

    private func handOver(_ coming: ComingActivity) async throws -> OpenedOffer {
        let app: DesktopEntry
        var (opening, coming) = (self, coming)
        do {
            guard let recipient = try await desktop.recipient(of: offer, fetched: fetched, options) else {
                return try await openPage(coming)
            }
            app = recipient.app
            opening.approved = recipient.team.map { (app.identifier, $0) }
        } catch {
            if let fetched { await decline(fetched.continuation) }
            throw await told(error)
        }
        if opening.approved != nil, var page = fetched {
            // Only the address and the title are for the app: all else a browser said to another
            // browser.
            (page.activity.userInfo, page.activity.requiredUserInfoKeys) = ([:], [])
            (opening.fetched, coming.title) = (page, page.activity.title)
        }
        let index = await desktop.index
        try await AppHandover(
            of: coming, to: app, launcher: launcher, fetcher: opening, notices: desktop,
            waitsForActivity: signal != nil && opening.approved == nil, isHere: fetched != nil,
            adaptedApp: { AdaptedApp.choose(for: $0.activity, by: app, in: index) }
        ).run()
        return .application(app.identifier)
    }

    /// Fetches a page that an app may be the one to continue: only its address says which.
    private func fetchPage(_ coming: ComingActivity) async throws -> ContinuedActivity {
        await desktop.reached(.fetching, coming)
        return try await whileShown(coming) {
            do {
                return try await fetch()
            } catch {
                throw await told(error)
            }
        }
    }

    private func openPage(_ coming: ComingActivity) async throws -> OpenedOffer {
        if fetched == nil { await desktop.reached(.fetching, coming) }
        return try await whileShown(coming) {
            let activity = try await fetch()
            await desktop.reached(.starting, coming)
            do {
                let address = try Self.address(of: activity)
                try await desktop.withPage(of: activity) {
                    try await pages.open(address, activationToken: coming.activationToken)
                }
                await host.accept(activity.continuation, by: nil, accepted: true)
                return .webpage(address)
            } catch {
                await decline(activity.continuation)
                throw error
            }
        }
    }

    /// Shows that the activity is on its way to the browser, or to whom its page says.
    private func whileShown<Result>(
        _ coming: ComingActivity, _ body: () async throws -> Result
    ) async throws -> Result {
        await desktop.show(.progress(coming, nil), of: coming.offer)
        do {
            let result = try await body()
            await desktop.withdraw(.progress, of: coming.offer)
            return result
        } catch {
            await desktop.withdraw(.progress, of: coming.offer)
            throw error
        }
    }

    /// Tells the user of an error.
    private func told(_ error: any Error) async -> BatonError {
        let error = BatonError(anyError: error)
        await desktop.tellUser(offer.offer, of: offer, error)
        return error
    }

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

extension OfferOpening: ActivityFetcher {
    func fetch() async throws -> ContinuedActivity {
        if let fetched { return fetched }
        return try await host.fetch(offer.offer, timeout: options.timeout, near: signal)
    }
    func give(_ continuation: String, to client: ClientID) async throws {
        guard let approved else { return try await host.give(continuation, of: offer, to: client) }
        try await host.givePage(continuation, to: client, called: approved.app, of: approved.team)
    }
    func accept(_ continuation: String, by client: ClientID, accepted: Bool) async {
        await host.accept(continuation, by: client, accepted: accepted)
    }
    func decline(_ continuation: String) async { await host.accept(continuation, by: nil, accepted: false) }
}
