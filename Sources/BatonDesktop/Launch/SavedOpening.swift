// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonBus
import DesktopEntries

/// Hands an activity that a search found to its app.
struct SavedOpening: Sendable {
    private static let deviceName = "this device"

    let result: SearchResult
    let app: DesktopEntry
    let desktop: Desktop
    let host: any DesktopHost
    let launcher: AppLauncher

    /// Runs it; a cancelled task cancels it.
    ///
    /// - Throws: ``BatonError``; by then the app, or else the user, has been told.
    func run() async throws -> OpenedOffer {
        let state = result.activity.state
        let coming = ComingActivity(
            type: state.activityType, offer: result.id, deviceName: Self.deviceName, title: state.title)
        try await AppHandover(of: coming, to: app, launcher: launcher, fetcher: self, notices: self).run()
        return .application(app.identifier)
    }
}

/// The activity is of this device: no other device is asked for it, or told of it.
extension SavedOpening: ActivityFetcher {
    func fetch() async throws -> ContinuedActivity {
        ContinuedActivity(
            continuation: "", activity: result.activity.state, device: "", deviceName: Self.deviceName,
            transport: "none")
    }
    func give(_ continuation: String, to client: ClientID) async throws {
        try await host.check(type: result.activity.state.activityType, team: app.team ?? "", for: client)
    }
    func accept(_ continuation: String, by client: ClientID, accepted: Bool) async {}
    func decline(_ continuation: String) async {}
}

/// Only the user is told: what a search found was here all the time.
extension SavedOpening: HandoverNotices {
    func reached(_ phase: OfferProgress.Phase, _ coming: ComingActivity) async {}
    func began(_ coming: ComingActivity, by app: DesktopEntry) async { await desktop.began(coming, by: app) }
    func ended(_ coming: ComingActivity) async { await desktop.ended(coming) }
    func failed(_ coming: ComingActivity, by app: DesktopEntry, _ error: BatonError) async {
        await desktop.failed(coming, by: app, error)
    }
}
