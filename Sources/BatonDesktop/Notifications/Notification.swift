// SPDX-License-Identifier: Apache-2.0

import DBus
import Wording

/// One notification for the user's screen.
public struct Notification: Hashable, Sendable {
    /// A button with its action and label. The action `default` is a click on the notification
    /// itself.
    public struct Action: Hashable, Sendable {
        /// The action's name in the notification protocol.
        public var key: String
        /// The button's label.
        public var label: String

        /// Creates an action.
        public init(_ key: String, _ label: String) {
            self.key = key
            self.label = label
        }
    }

    /// How long a notification stays on the screen.
    public enum Stay: Hashable, Sendable {
        /// The notification stays until Baton removes it or the user dismisses it.
        case untilRemoved
        /// The notification stays until Baton removes it, or the user dismisses or answers it. On a
        /// server without actions, the notification stays for the usual time, because the user
        /// could not answer it there.
        case untilAnswered
        /// The notification stays as long as the notification server decides. The server may keep
        /// it in a list afterwards.
        case asUsual
        /// The notification stays for ``Notification/briefly``, without an entry in the server's
        /// list.
        case briefly
    }

    /// The title, one line.
    public var summary: String
    /// The plain text below the title, perhaps several lines.
    public var body = ""
    /// The body for a server without actions, or nil for the same body.
    public var bodyWithoutActions: String?
    /// The icon's name or path, or nil for Baton's own icon.
    public var icon: String?
    /// The id of the app that the notification is about, or nil if it is about none.
    public var application: String?
    /// The actions that the user can choose.
    public var actions: [Action] = []
    /// How long the notification stays.
    public var stay = Stay.asUsual

    /// Whether the notification stays hidden, once the user has dismissed it, until Baton removes
    /// it.
    public var isLasting: Bool { [.untilRemoved, .untilAnswered].contains(stay) }

    /// The maximum length of a shown text in characters. Names and titles come from other devices.
    static let maximumLength = 200
    /// How long a brief notification stays.
    static let briefly = Duration.seconds(10)

    /// Returns the arguments of the D-Bus method `Notify`.
    ///
    /// Source: Desktop Notifications Specification 1.2.
    ///
    /// - Parameters:
    ///   - replaced: The id of the notification to replace, or 0 for none.
    ///   - server: The server's capabilities.
    func arguments(replacing replaced: UInt32, on server: ServerCapabilities) -> [DBusValue] {
        var hints: [String: DBusValue] = ["category": .string("device"), "urgency": .byte(1)]
        if stay == .briefly { hints["transient"] = .bool(true) }
        if let application { hints["desktop-entry"] = .string(Self.shown(application)) }
        let body = Self.lines(server.hasActions ? body : bodyWithoutActions ?? body)
        let actions = server.hasActions ? actions.flatMap { [$0.key, $0.label] } : []
        return [
            .string("Baton"), .uint32(replaced), .string(icon.map(Self.shown) ?? "org.batonproject.Baton"),
            .string(Self.shown(summary)), .string(server.hasMarkup ? ForeignText.inMarkup(body) : body),
            .strings(actions), .properties(hints), .int32(expiry(on: server)),
        ]
    }

    /// Returns the display time in milliseconds, 0 for unlimited, or -1 for the server's default.
    private func expiry(on server: ServerCapabilities) -> Int32 {
        switch stay {
        case .untilRemoved: 0
        case .untilAnswered: server.hasActions ? 0 : -1
        case .asUsual: -1
        case .briefly: Int32(Self.briefly / .milliseconds(1))
        }
    }

    /// Returns a text without invisible characters or characters that reorder others, apart from
    /// the isolates around names.
    private static func shown(_ text: String) -> String {
        String(ForeignText.visible(text, insteadOfOthers: "").prefix(maximumLength))
    }

    /// Returns the lines of a body, shown like ``shown(_:)``.
    private static func lines(_ text: String) -> String {
        String(text.split(separator: "\n").map { shown(String($0)) }.joined(separator: "\n").prefix(maximumLength))
    }
}
