// SPDX-License-Identifier: Apache-2.0

/// The capabilities of a notification server.
///
/// Source: Desktop Notifications Specification 1.2, "GetCapabilities".
struct ServerCapabilities: Hashable, Sendable {
    /// Whether the server interprets the body as markup.
    var hasMarkup = true
    /// Whether the user can choose actions, including a click on the notification itself.
    var hasActions = true
}

extension ServerCapabilities {
    /// Creates capabilities from the names that a server reports.
    init(_ names: [String]) {
        self.init(hasMarkup: names.contains("body-markup"), hasActions: names.contains("actions"))
    }
}
