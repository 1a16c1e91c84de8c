// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import DesktopEntries

/// The app in which an adapter goes on with an activity: what the user is shown, and what the
/// adapter is told, so that both mean the same one.
enum AdaptedApp {
    /// The app that the other device had, where the adapter lists it by name; else, of those for
    /// which the adapter speaks, the one that the desktop opens the type of the contents with.
    ///
    /// Both are the other device's words, keys of userInfo: no app comes of them that is not
    /// installed here, or is in a sandbox, or for which the adapter does not speak.
    ///
    /// - Returns: Nil when nothing of that is said, or no such app is here.
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
