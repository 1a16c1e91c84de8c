// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import DBus

/// One notification, as it is to be on the screen.
public struct Notification: Hashable, Sendable {
    /// What a button does, and what it says. The action `default` is a click on the notification
    /// itself.
    public struct Action: Hashable, Sendable {
        /// The action's name.
        public var key: String
        /// What is read on it.
        public var label: String

        /// An action.
        public init(_ key: String, _ label: String) {
            self.key = key
            self.label = label
        }
    }

    /// How long it stays on the screen.
    public enum Stay: Hashable, Sendable {
        /// Until it is removed or dismissed.
        case untilRemoved
        /// Until it is removed, dismissed or answered. On a server that takes no answers: as long
        /// as usual, for nobody could bring it to an end there.
        case untilAnswered
        /// As long as the notification server thinks right, which may keep it in a list afterwards.
        case asUsual
        /// For ``Notification/briefly``, and in no list afterwards.
        case briefly
    }

    /// One line.
    public var summary: String
    /// More, perhaps several lines; plain text.
    public var body: String
    /// The body on a server that shows no actions; nil for the same.
    public var bodyWithoutActions: String?
    /// An icon's name or path.
    public var icon: String?
    /// The id of the app that it is about.
    public var application: String?
    /// What can be done.
    public var actions: [Action]
    /// How long it stays.
    public var stay: Stay

    /// Whether it stays away once it was dismissed, until it is removed.
    public var isLasting: Bool { [.untilRemoved, .untilAnswered].contains(stay) }

    /// A notification.
    public init(
        summary: String, body: String = "", bodyWithoutActions: String? = nil, icon: String? = nil,
        application: String? = nil, actions: [Action] = [], stay: Stay = .asUsual
    ) {
        self.summary = summary
        self.body = body
        self.bodyWithoutActions = bodyWithoutActions
        self.icon = icon
        self.application = application
        self.actions = actions
        self.stay = stay
    }

    /// The most characters of a line that are shown: names and titles come from other devices.
    static let maximumLength = 200
    /// How long a brief one stays.
    static let briefly = Duration.seconds(10)

    /// The arguments of `Notify`.
    ///
    /// Source: Desktop Notifications Specification 1.2.
    ///
    /// - Parameters:
    ///   - replaced: The notification whose place it takes; 0 for none.
    ///   - server: What the server can do.
    func arguments(replacing replaced: UInt32, on server: ServerCapabilities) -> [DBusValue] {
        var hints: [String: DBusValue] = ["category": .string("device"), "urgency": .byte(1)]
        if stay == .briefly { hints["transient"] = .bool(true) }
        if let application { hints["desktop-entry"] = .string(Self.shown(application)) }
        let body = Self.shown(server.hasActions ? body : bodyWithoutActions ?? body)
        let actions = server.hasActions ? actions.flatMap { [$0.key, $0.label] } : []
        return [
            .string("Baton"), .uint32(replaced), .string(icon.map(Self.shown) ?? "org.batonproject.Baton"),
            .string(Self.shown(summary)), .string(server.hasMarkup ? Self.escaped(body) : body),
            .strings(actions), .properties(hints), .int32(expiry(on: server)),
        ]
    }

    /// In milliseconds; 0 for never, and -1 for what the server thinks right.
    private func expiry(on server: ServerCapabilities) -> Int32 {
        switch stay {
        case .untilRemoved: 0
        case .untilAnswered: server.hasActions ? 0 : -1
        case .asUsual: -1
        case .briefly: Int32(Self.briefly / .milliseconds(1))
        }
    }

    /// Without what could not be seen, or moves what is written.
    private static func shown(_ text: String) -> String {
        String(VisibleText.replacing(text) { _ in "" }.prefix(maximumLength))
    }

    private static func escaped(_ text: String) -> String {
        text.map { ["&": "&amp;", "<": "&lt;", ">": "&gt;"][$0] ?? String($0) }.joined()
    }
}
