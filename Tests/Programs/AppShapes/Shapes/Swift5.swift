// SPDX-License-Identifier: Apache-2.0

import Foundation

// Code that UIKit allows only in Swift 5 mode.
#if swift(>=6)
    @MainActor let swift5Shapes: [(String, @MainActor () async throws -> Void)] = []
#else
    @MainActor let swift5Shapes: [(String, @MainActor () async throws -> Void)] = [("a manager of no actor", manager)]

    /// Loop, in Swift 5: a manager that belongs to no actor calls its screens.
    final class AppManager {
        private let screen: StatusPage
        init(screen: StatusPage) { self.screen = screen }
        func restore(_ activity: NSUserActivity) {
            screen.restoreUserActivityState(activity)
            screen.userActivity = activity
        }
    }

    final class StatusPage: UserActivityResponder {
        var shown: [String] = []
        func restoreUserActivityState(_ activity: NSUserActivity) { shown.append(activity.title ?? "") }
    }

    @MainActor func manager() async throws {
        let page = StatusPage()
        let activity = NSUserActivity(activityType: "org.example.loop.status")
        activity.title = "Status"
        AppManager(screen: page).restore(activity)
        try expect(page.shown == ["Status"] && page.userActivity == activity, "the screen restores")
        page.userActivity = nil
    }
#endif
