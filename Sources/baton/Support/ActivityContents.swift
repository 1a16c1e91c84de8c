// SPDX-License-Identifier: Apache-2.0

import UserActivity

/// What gives a published activity its contents, as its delegate does in an app.
protocol ActivityContents: AnyObject, Sendable {
    /// Begins, before the activity is offered.
    ///
    /// - Throws: Why there is nothing to be offered.
    func begin(for activity: UserActivity) async throws

    /// Puts what there is now into the activity. It is called where callbacks run, and may wait.
    func save(into activity: UserActivity)

    /// Ends what it has begun.
    func stop() async
}
