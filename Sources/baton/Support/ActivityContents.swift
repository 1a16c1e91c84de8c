// SPDX-License-Identifier: Apache-2.0

import ActivityModel

/// What gives a published activity its contents, as its delegate does in an app.
protocol ActivityContents: AnyObject, Sendable {
    /// Begins, before the activity is offered.
    ///
    /// - Parameter changed: To be called when there are newer contents than the last that were
    ///   given.
    /// - Returns: The contents at first; nil for those that the activity has.
    /// - Throws: Why there is nothing to be offered.
    func begin(_ changed: @escaping @Sendable () -> Void) async throws -> UserInfo?

    /// What there is now, since a device wants it; nil when that is nothing newer, or cannot be
    /// had, which the user is told.
    func newest() async -> UserInfo?

    /// Whether the last ``newest()`` has not failed.
    var areSaved: Bool { get }

    /// Ends what it has begun.
    func stop() async
}

extension ActivityContents {
    var areSaved: Bool { true }
}
