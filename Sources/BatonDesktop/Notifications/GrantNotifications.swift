// SPDX-License-Identifier: Apache-2.0

import DesktopEntries

/// Creates the notification that asks whether a sandboxed app may have activities of others.
///
/// It shows the app's id, which the sandbox guarantees. It shows neither the name nor the icon that
/// the app has chosen. A request that cannot be shown completely and literally cannot be allowed by
/// a click. The user allows it with `baton grants`.
enum GrantNotifications {
    static let allowAction = "allow"
    static let refuseAction = "refuse"

    static func notification(of claim: ActivityClaim, _ app: SandboxedApp) -> Notification {
        let text = body(claim)
        let isShown =
            ([app.identifier, claim.team] + claim.types).allSatisfy { $0.utf8.allSatisfy(isPlain) }
            && text.utf8.count <= Notification.maximumLength && app.identifier.utf8.count <= maximumIdentifierLength
        let refuse = Notification.Action(refuseAction, "Refuse")
        guard isShown else {
            return Notification(
                summary: summary(app),
                body:
                    "It wants activities that are not its own, more than is shown here: 'baton grants' lists them, and allows them.",
                actions: [refuse], stay: .untilAnswered)
        }
        return Notification(
            summary: summary(app), body: text, bodyWithoutActions: "\(text) 'baton grants' allows or refuses it.",
            actions: [.init(allowAction, "Allow"), refuse], stay: .untilAnswered)
    }

    /// The longest id that a user would read to its end.
    private static let maximumIdentifierLength = 100

    /// Whether a byte is a plain character, which cannot imitate the surrounding sentence.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }

    private static func summary(_ app: SandboxedApp) -> String {
        switch app.sandbox {
        case .flatpak: "\(app.identifier) (Flatpak) wants more than its own activities"
        case .snap: "\(app.identifier) (snap) wants activities"
        case .unknown: "\(app.identifier) (sandboxed) wants activities"
        }
    }

    private static func body(_ claim: ActivityClaim) -> String {
        let team = claim.team.isEmpty ? "" : " of the team \"\(claim.team)\""
        guard !claim.types.isEmpty else { return "It wants to exchange its activities with all apps\(team)." }
        return "It wants to get and to publish \(claim.types.sorted().joined(separator: ", "))\(team)."
    }
}
