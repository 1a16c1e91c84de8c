// SPDX-License-Identifier: Apache-2.0

import ActivityModel

/// A source of a published activity's contents. Such a source does for `baton publish` what a
/// delegate does for an app.
protocol ActivityContents: AnyObject, Sendable {
    /// Starts the source before the activity is offered.
    ///
    /// - Parameter changed: A closure for the source to call when it has newer contents.
    /// - Returns: The first contents, or `nil` to keep the activity's own.
    /// - Throws: The reason why nothing can be offered.
    func begin(_ changed: @escaping @Sendable () -> Void) async throws -> UserInfo?

    /// Returns the newest contents for a device that wants them. Returns `nil` if nothing is newer,
    /// or after a failure that the source has reported to the user.
    func newest() async -> UserInfo?

    /// Whether the last ``newest()`` succeeded.
    var areSaved: Bool { get }

    func stop() async
}

extension ActivityContents {
    var areSaved: Bool { true }
}
