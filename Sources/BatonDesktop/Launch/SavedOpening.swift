// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonBus
import DesktopEntries

/// Hands an activity that a search found to the app that saved it.
struct SavedOpening: Sendable {
    private static let deviceName = "this device"

    let result: SearchResult
    let app: DesktopEntry
    let desktop: Desktop

    /// Opens the activity. Cancelling the task cancels the opening.
    ///
    /// - Throws: ``BatonError``. The app or the user has already been informed.
    func run() async throws -> OpenedOffer {
        let state = result.activity.state
        let coming = ComingActivity(
            type: state.activityType, offer: result.id, deviceName: Self.deviceName, title: state.title)
        try await AppHandover(of: coming, to: app, launcher: desktop.launcher, fetcher: self, notices: self).run()
        return .application(app.identifier)
    }
}

/// The fetcher of a saved activity, which is on this device, so no other device is asked.
extension SavedOpening: ActivityFetcher {
    func fetch() async throws -> ContinuedActivity {
        ContinuedActivity(
            continuation: "", activity: result.activity.state, device: "", deviceName: Self.deviceName,
            transport: "none")
    }
    func give(_ continuation: String, to client: ClientID) async throws {
        try await desktop.host.check(type: result.activity.state.activityType, team: app.team ?? "", for: client)
    }
    func accept(_ continuation: String, by client: ClientID, accepted: Bool) async {}
    func decline(_ continuation: String) async {}
}

/// The notices for a saved activity, which go to the user only, because no offer exists on the bus.
extension SavedOpening: HandoverNotices {
    func reached(_ phase: OfferProgress.Phase, _ coming: ComingActivity) async {}
    func began(_ coming: ComingActivity, by app: DesktopEntry) async { await desktop.began(coming, by: app) }
    func ended(_ coming: ComingActivity) async { await desktop.ended(coming) }
    func failed(_ coming: ComingActivity, by app: DesktopEntry, _ error: BatonError) async {
        await desktop.failed(coming, by: app, error)
    }
}
