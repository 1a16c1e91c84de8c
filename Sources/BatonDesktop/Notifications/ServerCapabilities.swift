// SPDX-License-Identifier: Apache-2.0

/// What a notification server can do.
///
/// Source: Desktop Notifications Specification 1.2, "GetCapabilities".
struct ServerCapabilities: Hashable, Sendable {
    /// Whether it takes the body for markup.
    var hasMarkup = true
    /// Whether the user can choose an action, a click on the notification itself among them.
    var hasActions = true
}

extension ServerCapabilities {
    /// Those that a server names.
    init(_ names: [String]) {
        self.init(hasMarkup: names.contains("body-markup"), hasActions: names.contains("actions"))
    }
}
