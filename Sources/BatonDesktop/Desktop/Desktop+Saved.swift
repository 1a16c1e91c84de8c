// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonBus
import DesktopEntries

/// What the desktop's search found, opened in its app.
extension Desktop {
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
        try openings.checkRoom(for: result.id)
        let opening = Task {
            defer { openings.ended(result.id) }
            try await hand(result, to: app)
            return OpenedOffer.application(app.identifier)
        }
        openings.begin(result.id, opening, to: Openings.Receiver(app: app, type: type, team: team))
        withdrawNotice(.failure(result.id))
        try await withTaskCancellationHandler {
            _ = try await opening.value
        } onCancel: {
            opening.cancel()
        }
    }

    private func hand(_ result: SearchResult, to app: DesktopEntry) async throws {
        let state = result.activity.state
        let coming = ComingActivity(
            type: state.activityType, offer: result.id, deviceName: SavedFetcher.deviceName, title: state.title)
        try await AppHandover(
            of: coming, to: app, launcher: environment.launcher,
            fetcher: SavedFetcher(host: host, state: state, team: app.team ?? ""),
            notices: QuietNotices(shown: self)
        ).run()
    }
}

/// Shows what there is to show, and tells nobody else: what a search found was here all the time.
private struct QuietNotices: HandoverNotices {
    let shown: Desktop

    func reached(_ phase: OfferProgress.Phase, _ coming: ComingActivity) async {}
    func began(_ coming: ComingActivity, by app: DesktopEntry) async { await shown.began(coming, by: app) }
    func ended(_ coming: ComingActivity) async { await shown.ended(coming) }
    func failed(_ coming: ComingActivity, by app: DesktopEntry, _ error: BatonError) async {
        await shown.failed(coming, by: app, error)
    }
}

/// An activity of this device, of which nobody else is to be told.
private struct SavedFetcher: ActivityFetcher {
    static let deviceName = "this device"

    let host: any DesktopHost
    let state: ActivityState
    let team: String

    func fetch() async throws -> ContinuedActivity {
        ContinuedActivity(continuation: "", activity: state, device: "", deviceName: Self.deviceName, transport: "none")
    }

    func give(_ continuation: String, to app: ClientID) async throws {
        try await host.check(type: state.activityType, team: team, for: app)
    }
    func accept(_ continuation: String, by app: ClientID, accepted: Bool) async {}
    func decline(_ continuation: String) async {}
}
