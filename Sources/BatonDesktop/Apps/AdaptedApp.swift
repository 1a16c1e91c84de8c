// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import DesktopEntries

/// Chooses the app in which an adapter continues an activity. The user sees this app, and the
/// adapter receives its id, so that both mean the same app.
enum AdaptedApp {
    /// Returns the other device's app, if the adapter lists it by name. Otherwise returns the app
    /// with which the desktop opens the content type, among those that the adapter supports.
    ///
    /// The other device supplies both its app and the content type, in the activity's userInfo. So
    /// the app must be installed here, must not be sandboxed, and must be one that the adapter
    /// supports.
    ///
    /// - Returns: The app, or nil if the activity has neither value or no such app is installed.
    static func choose(for activity: ActivityState, by adapter: DesktopEntry, in index: DesktopEntryIndex)
        -> DesktopEntry?
    {
        let same = text("application", of: activity).filter(adapter.adaptedApps.contains)
        let usual = text("mimeType", of: activity).flatMap(index.mimeDefaults.applications)
        return (same + usual).lazy.compactMap { index.entries[$0] }
            .first { adapter.adapts($0.identifier) && $0.sandboxedApp == nil }
    }

    private static func text(_ key: String, of activity: ActivityState) -> [String] {
        if case .string(let text) = activity.userInfo[.string(key)] { [text] } else { [] }
    }
}
