// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonBus
import DesktopEntries
import Diagnosis
import FoundationEssentials

/// Hands one offered activity to an app or to the browser. ``Desktop`` decides which of the two,
/// and informs the user.
struct OfferOpening: Sendable {
    let offer: OfferSummary
    let options: OpenOptions
    /// The signal in dBm at which a rule requires the device to be heard, or nil if the user chose
    /// the offer.
    let signal: Int?
    let desktop: Desktop
    /// The activity, if the choice of an app required a fetch; otherwise nil.
    var fetched: ContinuedActivity?
    /// The app and its team, if the app continues a page because the page's domain has approved it;
    /// otherwise nil.
    var approved: (app: String, team: String)?

    /// Opens the offer. Cancelling the task cancels the opening.
    ///
    /// - Throws: ``BatonError``. The app or the user has already been informed.
    func run() async throws -> OpenedOffer {
        await desktop.askSession()
        let coming = ComingActivity(
            type: offer.type ?? "", offer: offer.offer, deviceName: offer.deviceName, title: offer.title,
            activationToken: options.activationToken)
        var opening = self
        if await desktop.core.mayBeForApp(offer) { opening.fetched = try await fetchPage(coming) }
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
            // Pass only the address and the title to the app. Only a browser needs the other
            // values.
            (page.activity.userInfo, page.activity.requiredUserInfoKeys) = ([:], [])
            (opening.fetched, coming.title) = (page, page.activity.title)
        }
        let index = await desktop.core.apps.index
        try await AppHandover(
            of: coming, to: app, launcher: desktop.launcher, fetcher: opening, notices: desktop,
            waitsForActivity: signal != nil && opening.approved == nil, isHere: fetched != nil,
            adaptedApp: { AdaptedApp.choose(for: $0.activity, by: app, in: index) }
        ).run()
        return .application(app.identifier)
    }

    /// Fetches a page that an app may continue. The address is needed to choose the app.
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
                    try await desktop.pages.open(address, activationToken: coming.activationToken)
                }
                await desktop.host.accept(activity.continuation, by: nil, accepted: true)
                return .webpage(address)
            } catch {
                await decline(activity.continuation)
                throw error
            }
        }
    }

    /// Shows a progress notification, without an app, while a body runs.
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

    /// Tells the user about an error, and returns it as a ``BatonError``.
    private func told(_ error: any Error) async -> BatonError {
        let error = BatonError(anyError: error)
        await desktop.tellUser(offer.offer, of: offer, error)
        return error
    }

    /// Returns the address to open in the browser. The address is checked, because another laptop
    /// may have chosen it.
    private static func address(of activity: ContinuedActivity) throws -> String {
        guard let page = activity.activity.webpageURL else {
            throw BatonError(.applicationFailed, .pageGone)
        }
        do throws(WebAddress.Refusal) {
            return try WebAddress(arriving: page.absoluteString).url.absoluteString
        } catch {
            throw BatonError(.applicationFailed, .pageRefused, ["reason": .reason(Reason(code: error.code))])
        }
    }
}

extension OfferOpening: ActivityFetcher {
    func fetch() async throws -> ContinuedActivity {
        if let fetched { return fetched }
        return try await desktop.host.fetch(offer.offer, timeout: options.timeout, near: signal)
    }
    func give(_ continuation: String, to client: ClientID) async throws {
        guard let approved else { return try await desktop.host.give(continuation, of: offer, to: client) }
        try await desktop.host.givePage(continuation, to: client, called: approved.app, of: approved.team)
    }
    func accept(_ continuation: String, by client: ClientID, accepted: Bool) async {
        await desktop.host.accept(continuation, by: client, accepted: accepted)
    }
    func decline(_ continuation: String) async { await desktop.host.accept(continuation, by: nil, accepted: false) }
}
