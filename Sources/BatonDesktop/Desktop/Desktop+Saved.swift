// SPDX-License-Identifier: Apache-2.0

import BatonBus
import DesktopEntries
import UserActivity

/// What the desktop's search found, opened in its app.
extension Desktop {
    /// Has an app go to an activity of its own that was kept.
    ///
    /// - Throws: ``BatonBusError``; the app, or else the user, has been told by then.
    public func open(_ result: SearchResult) async throws {
        guard let app = index.entries[result.application] else {
            throw BatonBusError(.applicationFailed, "\(result.application) is not installed any more")
        }
        let state = result.activity.state
        let coming = ComingActivity(
            type: state.activityType, offer: result.id, deviceName: SavedFetcher.deviceName, title: state.title)
        try await AppHandover(
            of: coming, to: app, launcher: launcher, fetcher: SavedFetcher(state: state), notices: self
        ).run()
    }
}

/// An activity of this device, of which nobody else is to be told.
private struct SavedFetcher: ActivityFetcher {
    static let deviceName = "this device"

    let state: ActivityState

    func fetch() async throws -> ContinuedActivity {
        ContinuedActivity(continuation: "", activity: state, device: "", deviceName: Self.deviceName, transport: "none")
    }

    func give(_ continuation: String, to app: ClientID) async throws {}
    func accept(_ continuation: String, by app: ClientID, accepted: Bool) async {}
    func decline(_ continuation: String) async {}
}
